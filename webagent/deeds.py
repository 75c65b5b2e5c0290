"""What the words of a control say that it does: the one list of what changes things, and of what needs a
person's word.

Kinds of deed that `--confirm risky` asks about, then other changes that must not be done twice. Words in
English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Chinese and Japanese; what a
site says in another language is told by its forms alone (see `risk`)."""

import re
import unicodedata
from collections.abc import Mapping
from urllib.parse import parse_qsl, unquote, urlsplit

RISKY = ("delete", "credentials", "pay", "buy", "transfer", "export", "send")
"""Kinds in the order in which they are looked for: the first that fits names a control of several."""

_SECRET = (
    r"passwords?|passcodes?|passphrases?|pin(?: code)?|e-?mail(?: address)?|credentials?|(?:api |access )?keys?"
    r"|(?:access |api )?tokens?|two-factor|2fa|mfa|security questions?|phone number"
)
_OWN = r"(?:(?:my|your|the|this|new|a|an|personal|account|recovery) )*"
_BOOKED = r"(?:order|booking|reservation|subscription|membership|account|appointment|plan|payment|transfer)"

WORDS: Mapping[str, str] = {
    "pay": r"pay|place bid|donate|refund|top up|bezahlen|zahlen|zahlungspflichtig|kostenpflichtig|spenden|"
    r"erstatten|payer|régler|faire un don|pagar|abonar|donar|paga|pagare|dona|doar|betalen|betaal|doneren|zapłać|"
    r"оплатить|заплатить",
    "buy": rf"buy|purchase|check ?out|order(?! ?(?:by|no|number|history|status|details?|confirmation|of|form|#|№|:|\d))|"
    rf"book(?! ?(?:title|list|review|club|store|shop|shelf|mark|\d))|reserve|subscribe|upgrade (?:now|to|plan|{_OWN}plan)|bid now|"
    r"kaufen|bestellen|zur kasse|buchen|reservieren|abonnieren|acheter|commander|réserver|s['’]abonner|comprar|"
    r"realizar (?:el )?pedido|reservar|suscribirse|acquista|acquistare|ordina|compra|prenota|abbonati|finalizar compra|"
    r"encomendar|assinar|kopen|koop|afrekenen|reserveren|boeken|kup|kupuję|zamów|zamawiam|купить|заказать|забронировать|"
    r"оформить заказ",
    "transfer": r"transfer|withdraw|send money|überweisen|auszahlen|virer|virement|retirer|transferir|retirar fondos|"
    r"trasferisci|bonifico|preleva|sacar|overmaken|overboeken|przelej|wypłać|перевести|вывести",
    "delete": rf"delete|remove(?! (?:all )?filters?)|erase|destroy|discard|wipe|purge|unsubscribe|deactivate|terminate|"
    rf"(?:close|cancel) {_OWN}{_BOOKED}|reset (?:all|everything|to factory|data)|empty trash|"
    r"löschen|entfernen|verwerfen|kündigen|stornieren|supprimer|effacer|résilier|eliminar|borrar|suprimir|darse de baja|"
    r"elimina|eliminare|cancella|rimuovi|excluir|apagar|remover|verwijderen|verwijder|wissen|usuń|skasuj|удалить|стереть|"
    r"отменить заказ",
    "credentials": rf"(?:change|update|set|reset|edit|create|generate|regenerate|revoke|rotate|disable|remove|add|enable|turn off) "
    rf"{_OWN}(?:{_SECRET})|log ?out (?:of )?all|(?:passwort|kennwort|e-mail(?:-adresse)?) (?:ändern|zurücksetzen|speichern)|"
    r"(?:changer|modifier|réinitialiser) (?:le |mon |votre )?mot de passe|(?:cambiar|restablecer) (?:la |mi |tu )?contraseña|"
    r"(?:cambia|modifica|reimposta) (?:la )?password|(?:alterar|redefinir) (?:a )?senha|wachtwoord (?:wijzigen|opslaan)|"
    r"zmień hasło|(?:изменить|сменить|сбросить) пароль",
    "export": r"export|exportieren|exporter|exportar|esporta|esportare|exporteren|eksportuj|экспорт|экспортировать",
    "send": r"send|post(?! ?(?:code|office|card|\d))|publish|share|reply|invite|tweet|e-?mail (?:it|this|them|us|now)|"
    r"senden|abschicken|absenden|veröffentlichen|teilen|antworten|einladen|envoyer|publier|partager|répondre|inviter|"
    r"enviar|publicar|compartir|responder|invitar|invia|inviare|spedisci|pubblica|condividi|rispondi|"
    r"compartilhar|convidar|verzenden|versturen|verstuur|plaatsen|delen|wyślij|opublikuj|udostępnij|"
    r"отправить|послать|опубликовать|поделиться",
    "other": r"submit|save|create|add|confirm|cancel|update|upload|sign up|register|merge|close|approve|speichern|"
    r"anlegen|hinzufügen|bestätigen|hochladen|registrieren|enregistrer|créer|ajouter|confirmer|guardar|crear|añadir|"
    r"confirmar|salva|aggiungi|conferma|salvar|adicionar|opslaan|toevoegen|bevestigen|zapisz|dodaj|potwierdź|"
    r"сохранить|добавить|подтвердить",
}
"""Words by kind; `other` are changes that nobody is asked about."""

_JOINED: Mapping[str, str] = {
    "pay": "支付|付款|支払",
    "buy": "购买|購買|下单|结账|購入|注文",
    "transfer": "转账|轉帳|提现|振込|送金",
    "delete": "删除|刪除|注销|削除|退会",
    "credentials": "修改密码|重置密码|パスワードを?変更",
    "export": "导出|匯出|エクスポート",
    "send": "发送|發送|发布|送信|投稿",
    "other": "保存|提交|确认|確認|追加|登録",
}
"""The same in languages that do not part words."""

_BY_KIND = {
    kind: re.compile(rf"(?<!\w)(?:{words})(?!\w)|{_JOINED[kind]}", re.IGNORECASE)
    for kind, words in WORDS.items()
}

HARMLESS = re.compile(
    r"(?<!\w)(?:search|find|look ?up|filter|sort|apply filters?|show|view|browse|next|previous|back|continue shopping|"
    r"log ?in|log ?on|log ?out|sign ?in|sign ?out|add to (?:\w+ )?(?:cart|basket|bag|wish ?list|favou?rites)|cancel|close|"
    r"dismiss|reject|decline|no,? thank(?:s| you)|don['’]t allow|not now|(?:maybe )?later|skip|got it|(?:accept|allow|reject|"
    r"agree to) all|refresh|reload|calculate|preview|suchen|finden|anmelden|einloggen|abmelden|in den warenkorb|weiter|zurück|"
    r"abbrechen|schließen|rechercher|chercher|connexion|se connecter|se déconnecter|ajouter au panier|suivant|annuler|"
    r"fermer|buscar|iniciar sesión|entrar|cerrar sesión|añadir al carrito|siguiente|cerrar|cerca|accedi|esci|"
    r"aggiungi al carrello|avanti|annulla|chiudi|pesquisar|sair|zoeken|inloggen|uitloggen|volgende|annuleren|szukaj|"
    r"zaloguj|wyloguj|dalej|anuluj|найти|поиск|войти|выйти|в корзину|далее|отмена|закрыть)(?!\w)|搜索|登录|登入|検索|ログイン",
    re.IGNORECASE,
)
"""Words of buttons that send a form and do nothing that a person should be asked about."""

SUBMITS = re.compile(
    r"(?:submit|confirm|finish|complete|absenden|bestätigen|abschließen|confirmer|valider|confirmar|finalizar|conferma|"
    r"bevestigen|potwierdź|подтвердить)(?!\w)|提交|确认|確認",
    re.IGNORECASE,
)
"""Words of buttons that hand in what was entered, whatever that is."""

SURE = re.compile(
    r"\b(?:are you sure|really|can(?:no|')t be undone|irreversible|permanent(?:ly)?|proceed|confirm|sicher|wirklich|"
    r"unwiderruflich|vraiment|certain|seguro|sicuro|tem certeza|weet u zeker|na pewno|уверены)\b|确定|よろしいですか",
    re.IGNORECASE,
)
"""Words of questions that come before what can't be taken back."""

_FIRST = re.compile(r"[\W_]*([A-Z]+(?![a-z])|[A-Za-z][a-z]*)", re.ASCII)
_PATH_VERBS: Mapping[str, str] = {
    "delete": "delete", "remove": "delete", "destroy": "delete", "erase": "delete", "purge": "delete",
    "unsubscribe": "delete", "pay": "pay", "donate": "pay", "refund": "pay", "buy": "buy", "purchase": "buy",
    "transfer": "transfer", "withdraw": "transfer", "send": "send", "publish": "send", "export": "export",
    "revoke": "credentials",
}  # fmt: skip
"""Verbs that begin a part of an address which does what it says when it is merely opened."""


def plain_words(text: str) -> str:
    """The text for comparing: compatible letters are one (`ＤＥＬＥＴＥ`), invisible ones gone, on one line."""
    folded = unicodedata.normalize("NFKC", text)
    seen = "".join(char for char in folded if unicodedata.category(char) not in ("Cf", "Mn", "Cs"))
    return " ".join(re.sub(r"[_\s]+", " ", seen).split())


def deed_of(text: str) -> str:
    """The risky kind of deed that a control's words speak of; empty where they speak of none."""
    words = plain_words(text)
    return next((kind for kind in RISKY if _BY_KIND[kind].search(words)), "")


def says_change(text: str) -> bool:
    """Whether a control's words say that it changes things, which must not be done twice."""
    words = plain_words(text)
    return any(pattern.search(words) for pattern in _BY_KIND.values())


def begins_with_deed(text: str) -> bool:
    """Whether the words are an order (`Delete account`) rather than a text that speaks of one."""
    words = plain_words(text)
    return any(_BY_KIND[kind].match(words) for kind in RISKY)


def deed_of_url(url: str) -> str:
    """The risky kind of deed that an address names: `/account/delete`, `?action=transfer`."""
    parts = urlsplit(url)
    pieces = [piece for piece in unquote(parts.path).split("/") if piece][-3:]
    pieces += [part for pair in parse_qsl(parts.query) for part in pair]
    for piece in pieces:
        first = _FIRST.match(piece)
        if first and first[1].lower() in _PATH_VERBS:
            return _PATH_VERBS[first[1].lower()]
    return ""
