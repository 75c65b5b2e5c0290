import pytest

from tests.pages.kit import serving, visiting
from webagent.browser.launch import Chromium

pytestmark = pytest.mark.asyncio(loop_scope="session")

NATIVE = """<label>Day <input type=date id=a></label><label>Start <input type=time id=b></label>
<label>Both <input type=datetime-local id=c></label><label>Month <input type=month id=d></label>
<label>Week <input type=week id=e></label><label>Colour <input type=color id=f></label>
<label>Level <input type=range id=g min=0 max=10 step=0.5></label>
<label>Count <input type=number id=h max=9></label>"""


async def test_native_fields_take_iso_values_and_words_that_are_clear(chromium: Chromium) -> None:
    with serving(NATIVE) as site:
        async with visiting(chromium, site.url()) as hand:
            for role, name, text in (
                ("textbox", "Day", "9 March 2027"),
                ("textbox", "Start", "4:05 pm"),
                ("textbox", "Both", "2027-03-09 16:05"),
                ("textbox", "Month", "April 2027"),
                ("textbox", "Week", "2027-W10"),
                ("textbox", "Colour", "#f00"),
                ("slider", "Level", "7.5"),
                ("spinbutton", "Count", "8"),
            ):
                await hand.do("type", ref=hand.ref(role, name), text=text)
                assert hand.events == "", name
            values = await hand.session.evaluate(
                "[...document.querySelectorAll('input')].map((i) => i.value)"
            )
            assert values == [
                "2027-03-09",
                "16:05",
                "2027-03-09T16:05",
                "2027-04",
                "2027-W10",
                "#ff0000",
                "7.5",
                "8",
            ]


async def test_a_value_that_a_native_field_cannot_take_is_refused_with_its_format(chromium: Chromium) -> None:
    with serving(NATIVE) as site:
        async with visiting(chromium, site.url()) as hand:
            refused = await hand.refuse("type", ref=hand.ref("textbox", "Day"), text="03/04/2027")
            assert "YYYY-MM-DD" in refused.error


async def test_what_a_field_did_not_keep_is_told(chromium: Chromium) -> None:
    page = """<label>Code <input maxlength=4></label><label>Level <input type=range max=10></label>
    <label>Caps <input oninput="this.value = this.value.toUpperCase()"></label>
    <label>Late <input id=l></label><script>setInterval(() => { if (l.value) l.value = 'late' }, 20)</script>"""
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("type", ref=hand.ref("textbox", "Code"), text="123456")
            assert 'the field "Code" now holds "1234"' in hand.events
            await hand.do("type", ref=hand.ref("slider", "Level"), text="50")
            assert 'the field "Level" now holds "10"' in hand.events
            await hand.do("type", ref=hand.ref("textbox", "Caps"), text="abc")
            assert 'the field "Caps" now holds "ABC"' in hand.events
            await hand.do("type", ref=hand.ref("textbox", "Late"), text="soon")
            assert 'the field "Late" now holds "late"' in hand.events


async def test_typing_replaces_by_default_and_adds_without_clear(chromium: Chromium) -> None:
    page = "<label>Name <input value=old></label><label>Note <textarea>one</textarea></label>"
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("type", ref=hand.ref("textbox", "Name"), text="new")
            await hand.do("type", ref=hand.ref("textbox", "Note"), text=" two\nthree", clear=False)
            values = await hand.session.evaluate(
                "[...document.querySelectorAll('input,textarea')].map((i) => i.value)"
            )
            assert values == ["new", "one two\nthree"]


async def test_an_empty_text_empties_the_field(chromium: Chromium) -> None:
    with serving("<label>Name <input value=old></label>") as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("type", ref=hand.ref("textbox", "Name"), text="")
            assert await hand.session.evaluate("document.querySelector('input').value") == ""


async def test_submit_presses_enter(chromium: Chromium) -> None:
    page = """<form><input aria-label=Search></form><p id=o></p>
    <script>document.forms[0].onsubmit = (e) => { e.preventDefault(); o.textContent = 'sent' }</script>"""
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("type", ref=hand.ref("textbox", "Search"), text="globe", submit=True)
            assert "sent" in hand.text


async def test_key_events_reach_fields_that_only_hear_keys(chromium: Chromium) -> None:
    page = """<div tabindex=0 role=textbox aria-label=Pad id=d style="height:30px"></div><p id=o></p>
    <script>d.onkeydown = (e) => { o.textContent += e.key }</script>"""
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("type", ref=hand.ref("textbox", "Pad"), text="abc")
            assert await hand.session.evaluate("o.textContent") == "abc"


async def test_long_text_and_any_script_arrive_whole(chromium: Chromium) -> None:
    with serving("<label>Note <textarea></textarea></label>") as site:
        async with visiting(chromium, site.url()) as hand:
            for text in ("word " * 2000 + "end", "Žofie 🐦 شكرا 一期一会 👩‍🚀"):
                await hand.do("type", ref=hand.ref("textbox", "Note"), text=text)
                assert await hand.session.evaluate("document.querySelector('textarea').value") == text


async def test_code_boxes_are_filled_whether_or_not_the_focus_jumps(chromium: Chromium) -> None:
    box = "<input maxlength=1 aria-label='Digit {0}'>"
    jump = "<script>document.querySelectorAll('input').forEach((i, n, all) => i.oninput = () => all[n + 1]?.focus())</script>"
    boxes = "".join(box.format(n) for n in range(1, 5))
    with serving({"/": f"<div>{boxes}</div>{jump}", "/still": f"<div>{boxes}</div>"}) as site:
        for path in ("/", "/still"):
            async with visiting(chromium, site.url(path)) as hand:
                await hand.do("type", ref=hand.ref("textbox", "Digit 1"), text="4711")
                values = await hand.session.evaluate(
                    "[...document.querySelectorAll('input')].map((i) => i.value).join('')"
                )
                assert values == "4711", path
                assert hand.events == ""


async def test_an_editor_with_its_own_model_takes_text_once(chromium: Chromium) -> None:
    page = """<div id=e contenteditable role=textbox aria-label=Post></div><script>
    let model = 'draft'; const paint = () => { e.textContent = model; getSelection().selectAllChildren(e); getSelection().collapseToEnd() };
    paint();
    e.addEventListener('beforeinput', (v) => { v.preventDefault();
      if (v.inputType.startsWith('insert')) model += v.data ?? '';
      else if (v.inputType.startsWith('delete')) model = getSelection().toString().length >= model.length ? '' : model.slice(0, -1);
      paint(); });
    </script>"""
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            assert "draft" in hand.text
            await hand.do("type", ref=hand.ref("textbox", "Post"), text="Market opens")
            assert await hand.session.evaluate("model") == "Market opens"
            assert "Market opens" in hand.text
            assert hand.events == ""


async def test_text_without_a_ref_goes_to_the_focused_element_even_in_a_frame(chromium: Chromium) -> None:
    with serving({"/": "<iframe src=/in></iframe>", "/in": "<input aria-label=Inner>"}) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("click", ref=hand.ref("textbox", "Inner"))
            await hand.do("type", text="here")
            await hand.do("type", text="there")
            assert hand.line("textbox", "Inner").text == "there"


async def test_what_takes_no_text_is_refused_with_what_to_do(chromium: Chromium) -> None:
    page = """<input type=checkbox aria-label=Box><input type=file aria-label=File>
    <input readonly aria-label=Fixed><input disabled aria-label=Off>"""
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            assert "click" in (await hand.refuse("type", ref=hand.ref("checkbox", "Box"), text="x")).error
            assert "upload" in (await hand.refuse("type", ref=hand.ref("button", "File"), text="x")).error
            assert (
                "read-only" in (await hand.refuse("type", ref=hand.ref("textbox", "Fixed"), text="x")).error
            )
            assert "disabled" in (await hand.refuse("type", ref=hand.ref("textbox", "Off"), text="x")).error


async def test_a_password_that_did_not_stick_is_told_by_its_length_alone(chromium: Chromium) -> None:
    with serving("<label>Password <input type=password maxlength=3></label>") as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("type", ref=hand.ref("textbox", "Password"), text="abcdef")
            assert hand.events == "the password field now holds 3 characters"


GROUPS = """<label>Pay <select id=p><option value="">Choose</option><optgroup label=Office><option value=o1>Monthly
<option value=o2>Weekly</optgroup><optgroup label=Warehouse><option value=w1>Monthly<option value=w2 disabled>Weekly</optgroup></select></label>
<label>Days <select multiple id=m><option>Mon<option>Tue<option>Wed</select></label>"""


async def test_options_show_their_groups_and_are_chosen_by_group_label_or_value(chromium: Chromium) -> None:
    with serving(GROUPS) as site:
        async with visiting(chromium, site.url()) as hand:
            assert "Office: Monthly" in hand.text
            assert "Warehouse: Monthly" in hand.text
            for wanted, value in (("Warehouse: Monthly", "w1"), ("o1", "o1"), ("weekly", "o2")):
                await hand.do("select", ref=hand.ref("combobox", "Pay"), options=[wanted])
                assert await hand.session.evaluate("p.value") == value


async def test_an_ambiguous_or_unknown_option_selects_nothing_and_lists_the_choices(
    chromium: Chromium,
) -> None:
    with serving(GROUPS) as site:
        async with visiting(chromium, site.url()) as hand:
            for wanted in ("Monthly", "Yearly"):
                refused = await hand.refuse("select", ref=hand.ref("combobox", "Pay"), options=[wanted])
                assert "nothing selected" in refused.error
                assert '"Office: Monthly"' in hand.events
                assert '"Warehouse: Monthly"' in hand.events
                assert await hand.session.evaluate("p.value") == ""


async def test_several_options_of_a_multiple_list_are_chosen_at_once(chromium: Chromium) -> None:
    with serving(GROUPS) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("select", ref=hand.ref("listbox", "Days"), options=["Mon", "Wed"])
            assert await hand.session.evaluate("[...m.selectedOptions].map((o) => o.text)") == ["Mon", "Wed"]


async def test_a_choice_that_jumps_back_is_told(chromium: Chromium) -> None:
    page = "<label>Size <select onchange='this.value = \"s\"'><option value=s>Small<option value=l>Large</select></label>"
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("select", ref=hand.ref("combobox", "Size"), options=["Large"])
            assert 'the field "Size" now holds "Small"' in hand.events


async def test_a_combobox_of_divs_is_opened_and_its_late_option_clicked(chromium: Chromium) -> None:
    page = """<div role=combobox tabindex=0 aria-label=Wood id=c>Choose</div><div id=slot></div><script>
    c.onclick = () => setTimeout(() => { slot.innerHTML = '<div role=listbox><div role=option>Ash</div><div role=option>Cedar</div></div>';
      slot.querySelectorAll('[role=option]').forEach((o) => o.onclick = () => { c.textContent = o.textContent; slot.innerHTML = '' }) }, 350);
    </script>"""
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("select", ref=hand.ref("combobox", "Wood"), options=["Cedar"])
            assert await hand.session.evaluate("c.textContent") == "Cedar"


async def test_an_unknown_key_is_refused_with_examples(chromium: Chromium) -> None:
    with serving("<input aria-label=A>") as site:
        async with visiting(chromium, site.url()) as hand:
            assert "Enter" in (await hand.refuse("press", key="Return please")).error


async def test_an_option_of_another_list_is_not_taken_for_one_of_this_field(chromium: Chromium) -> None:
    page = """<label>Name <input></label><a href=/x>More</a><ul role=listbox aria-label=Sizes>
    <li role=option tabindex=0 onclick="document.title='taken'">Blue</li></ul>"""
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.refuse("select", ref=hand.ref("textbox", "Name"), options=["Blue"])
            outcome = await hand.refuse("select", ref=hand.ref("link", "More"), options=["Blue"])
            assert "click it" in outcome.error
            assert await hand.session.evaluate("document.title") == ""
            await hand.do("select", ref=hand.ref("listbox", "Sizes"), options=["Blue"])
            assert await hand.session.evaluate("document.title") == "taken"
