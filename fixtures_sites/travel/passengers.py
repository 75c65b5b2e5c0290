"""The fields of travellers, contacts and cards, checked."""

from datetime import date

from fixtures_sites.forms import EMAIL, Form
from fixtures_sites.seeded import TODAY
from fixtures_sites.travel.journey import day_of

TITLES = ("Mr", "Ms", "Mx", "Dr")
NATIONS = (
    "United States", "Canada", "Mexico", "United Kingdom", "Ireland", "France", "Germany", "Netherlands", "Spain", "Italy",
    "Portugal", "Sweden", "Norway", "Japan", "South Korea", "Singapore", "Australia", "India", "Brazil",
)  # fmt: skip
NAME = r"[^\W\d_][^\d_]{0,39}"
PHONE = r"[+\d][\d ()-]{6,20}"


def need_passenger(
    form: Form, place: int, kind: str, days: tuple[date, date], *, abroad: bool
) -> dict[str, str]:
    """One traveller of a kind; `days` are those of the first and the last flight."""
    names = ["title", "first", "last", "born", *(["passport", "nationality"] if abroad else [])]
    said = {name: form.text(f"{name}{place}") for name in names}
    form.check(f"title{place}", said["title"] in TITLES, "Choose a title.")
    form.need_match(f"first{place}", NAME, "Enter the first name as in the passport.")
    form.need_match(f"last{place}", NAME, "Enter the last name as in the passport.")
    _check_age(form, f"born{place}", kind, days)
    if abroad:
        form.need_match(
            f"passport{place}", r"[A-Z0-9]{6,9}", "Enter a passport number of 6 to 9 letters and digits."
        )
        form.check(f"nationality{place}", said["nationality"] in NATIONS, "Choose a nationality.")
    return {"kind": kind, "passport": "", "nationality": "", **said}


def _check_age(form: Form, name: str, kind: str, days: tuple[date, date]) -> None:
    born = day_of(form.text(name))
    form.check(name, born is not None and date(1906, 1, 1) <= born < TODAY, "Enter the date of birth.")
    if born is None or name in form.errors:
        return
    first, last = (_age(born, day) for day in days)
    if kind == "adult":
        form.check(name, first >= 12, "An adult is at least 12 years old on the day of travel.")
    elif kind == "child":
        form.check(name, first >= 2 and last < 12, "A child is 2 to 11 years old on all days of travel.")
    else:
        form.check(name, last < 2, "An infant is under 2 years old on all days of travel.")


def _age(born: date, day: date) -> int:
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


def need_contact(form: Form) -> dict[str, str]:
    """E-mail address and phone number."""
    return {
        "email": form.need_match("email", EMAIL, "Enter an e-mail address."),
        "phone": form.need_match("phone", PHONE, "Enter a phone number, such as +1 617-555-0133."),
    }


def need_card(form: Form) -> str:
    """A card, its last four digits."""
    number = form.text("card").replace(" ", "").replace("-", "")
    valid = number.isdecimal() and len(number) == 16 and _luhn(number)
    form.check("card", valid, "This card number is not valid.")
    form.need("holder", "Enter the name on the card.")
    expiry = form.need_match("expiry", r"(0[1-9]|1[0-2])/\d\d", "Enter the expiry date as MM/YY.")
    if "expiry" not in form.errors:
        month, year = expiry.split("/")
        form.check(
            "expiry", (2000 + int(year), int(month)) >= (TODAY.year, TODAY.month), "This card has expired."
        )
    form.need_match("cvc", r"\d{3}", "Enter the three digits on the back of the card.")
    return number[-4:]


def _luhn(number: str) -> bool:
    digits = [int(char) for char in reversed(number)]
    doubled = [digit * 2 - 9 if digit > 4 else digit * 2 for digit in digits[1::2]]
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0
