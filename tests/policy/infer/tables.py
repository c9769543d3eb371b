"""Twenty invented tables of different trades and languages, each column with the roles that a careful person gives it.

A role `a|b` means that careful people differ. Nothing here is taken from a real table.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from typing import Any

import polars as pl
from faker import Faker

Column = tuple[str, Sequence[Any]]  # role or roles, values
Table = dict[str, Column]


class Maker:
    """Draws columns of `n` rows."""

    def __init__(self, n: int, seed: int, locale: str = "en_US") -> None:
        self.n, self.draw, self.faker = n, random.Random(seed), Faker(locale)
        self.faker.seed_instance(seed)

    def each(self, make: Callable[[], Any], null: float = 0.0) -> list[Any]:
        return [None if self.draw.random() < null else make() for _ in range(self.n)]

    def pick(self, options: str | Sequence[Any], null: float = 0.0, tilt: float = 0.7) -> list[Any]:
        listed = options.split() if isinstance(options, str) else list(options)
        weights = [1 / (rank + 1) ** tilt for rank in range(len(listed))]
        return [None if self.draw.random() < null else x for x in self.draw.choices(listed, weights, k=self.n)]

    def whole(self, low: int, high: int, null: float = 0.0) -> list[Any]:
        return self.each(lambda: self.draw.randint(low, high), null)

    def skewed(self, middle: float, digits: int = 2) -> list[Any]:
        return self.each(lambda: round(self.draw.lognormvariate(0, 0.8) * middle, digits))

    def normal(self, mean: float, spread: float, digits: int = 1, null: float = 0.0) -> list[Any]:
        return self.each(lambda: round(self.draw.gauss(mean, spread), digits), null)

    def day(self, first: date, days: int) -> list[Any]:
        return self.each(lambda: first + timedelta(days=self.draw.randrange(days)))

    def moment(self, first: datetime, days: int) -> list[Any]:
        return self.each(lambda: first + timedelta(seconds=self.draw.randrange(days * 86400)))

    def flag(self, share: float = 0.3) -> list[bool]:
        return self.each(lambda: self.draw.random() < share)

    def serial(self, form: str, first: int = 1000) -> list[str]:
        return [form.format(first + i) for i in range(self.n)]

    def owners(self, form: str, people: int) -> list[str]:
        return self.each(lambda: form.format(10_000 + int(people * self.draw.random() ** 1.3)))

    def prose(self, openings: str, null: float = 0.1) -> list[Any]:
        starts = openings.split("|")
        return self.each(lambda: f"{self.draw.choice(starts)} {self.faker.sentence(nb_words=9)}", null)

    def spread(self, values: Sequence[Any]) -> list[Any]:
        """One value a person, drawn for every row."""
        return [self.draw.choice(values) for _ in range(self.n)]


def hospital() -> Table:
    m = Maker(1200, 1)
    return {
        "MRN": ("identifier", m.serial("{:08d}", 400_000)),
        "PatName": ("identifier", m.each(m.faker.name)),
        "DOB": ("quasi", m.day(date(1930, 1, 1), 29_000)),
        "gndr": ("quasi", m.pick("F M")),
        "zip5": ("quasi", m.each(lambda: f"{m.draw.choice([21, 22, 48])}{m.draw.randint(0, 59):03d}")),
        "race_eth": ("quasi", m.pick(["White", "Black", "Hispanic", "Asian", "Other"])),
        "adm_dt": ("quasi", m.moment(datetime(2024, 1, 1), 360)),
        "los_days": ("quasi", m.whole(1, 14)),
        "icd10_dx": ("sensitive", m.pick("E11.9 I10 J45.909 F32.1 C50.911 K21.0 B20 N18.3")),
        "hba1c": ("sensitive", m.normal(6.2, 1.1, null=0.2)),
        "attending_npi": ("identifier", m.each(lambda: f"1{m.draw.randint(300_000_000, 300_000_060)}")),
        "discharge_summary": ("text", m.prose("Patient seen for|Admitted with|Follow up of")),
    }


def retail() -> Table:
    m = Maker(1500, 2)
    return {
        "order_no": ("identifier", m.serial("SO-{}")),
        "cust_no": ("identifier", m.owners("C{}", 500)),
        "e_mail": ("identifier", m.each(m.faker.email)),
        "ship_city": ("quasi", m.pick([m.faker.city() for _ in range(60)])),
        "ship_postcode": ("quasi", m.each(lambda: f"{m.draw.randint(100, 140)}{m.draw.randint(0, 99):02d}")),
        "order_ts": ("quasi", m.moment(datetime(2025, 1, 1), 200)),
        "sku_category": ("keep", m.pick("shoes shirts jackets hats bags")),
        "channel": ("keep", m.pick("web app store")),
        "basket_total": ("sensitive|keep", m.skewed(40)),
        "items": ("keep|quasi", m.whole(1, 6)),
        "loyalty_member": ("keep|quasi", m.flag()),
        "gift_message": ("text", m.prose("Happy birthday|With love|Enjoy", 0.5)),
    }


def telecom() -> Table:
    m = Maker(1500, 3)
    return {
        "MSISDN": ("identifier", m.each(lambda: f"+4917{m.draw.randint(10_000_000, 99_999_999)}")),
        "imei": ("identifier", m.each(lambda: str(m.draw.randint(35 * 10**13, 36 * 10**13)))),
        "subs_age": ("quasi", m.whole(18, 88)),
        "sex": ("quasi", m.pick("male female")),
        "home_cell": ("quasi|identifier", m.pick([f"LAC{i:03d}" for i in range(50)])),
        "handset_model": ("quasi", m.pick([f"Galaxy A{i}" for i in range(20)] + [f"iPhone {i}" for i in range(8, 16)])),
        "tariff": ("keep", m.pick("Basic Smart Flat XL")),
        "tenure_mths": ("quasi", m.whole(0, 72)),
        "day_mins": ("sensitive|keep|quasi", m.normal(180, 50)),
        "intl_calls": ("sensitive|keep|quasi", m.whole(0, 12)),
        "monthly_charge": ("sensitive|keep", m.normal(45, 15, 2)),
        "churn": ("sensitive|keep", m.pick("No Yes")),
    }


def personnel() -> Table:
    m = Maker(900, 4)
    return {
        "EmployeeNumber": ("identifier", [7000 + 3 * i for i in range(m.n)]),
        "Surname": ("identifier", m.each(m.faker.last_name)),
        "FirstName": ("identifier", m.each(m.faker.first_name)),
        "WorkEmail": ("identifier", m.each(m.faker.company_email)),
        "BirthYear": ("quasi", m.whole(1958, 2003)),
        "Gender": ("quasi", m.pick(["Woman", "Man", "Non-binary"], tilt=1.5)),
        "MaritalStatus": ("quasi", m.pick("Married Single Divorced")),
        "Department": ("quasi", m.pick(["Sales", "R&D", "Human Resources", "Finance", "Legal"])),
        "JobTitle": ("quasi", m.pick([m.faker.job() for _ in range(40)])),
        "HireDate": ("quasi", m.day(date(2005, 1, 1), 7000)),
        "Salary": ("sensitive", m.skewed(52_000, 0)),
        "PerformanceRating": ("sensitive", m.whole(1, 5)),
        "SickDays": ("sensitive", m.whole(0, 25)),
        "ManagerComment": ("text", m.prose("Has shown|Needs to|Worked well with")),
    }


def web_log() -> Table:
    m = Maker(2000, 5)
    agents = [f"Mozilla/5.0 (X11; Linux; rv:{i}) Gecko Firefox/{i}.0" for i in range(90, 115)]
    return {
        "ts": ("quasi", m.moment(datetime(2026, 3, 1), 20)),
        "client_ip": ("identifier|quasi", m.each(m.faker.ipv4_public)),
        "session": ("identifier", m.each(lambda: m.faker.hexify("^" * 32))),
        "uid": ("identifier", m.owners("u{}", 300)),
        "method": ("keep", m.pick("GET POST PUT DELETE", tilt=1.5)),
        "status": ("keep", m.pick([200, 304, 404, 500], tilt=1.5)),
        "bytes_sent": ("keep", m.skewed(9000, 0)),
        "latency_ms": ("keep", m.skewed(120, 1)),
        "user_agent": ("quasi", m.pick(agents)),
        "geo_country": ("quasi", m.pick("DE FR GB US NL ES PL")),
    }


def school() -> Table:
    m = Maker(1000, 6)
    return {
        "stud_id": ("identifier", m.serial("S{}")),
        "pupil_name": ("identifier", m.each(m.faker.name)),
        "yob": ("quasi", m.whole(2005, 2013)),
        "sex": ("quasi", m.pick("f m")),
        "school_cd": ("quasi", m.pick([f"SCH{i:02d}" for i in range(15)])),
        "home_language": ("quasi", m.pick("English Spanish Arabic Polish Chinese")),
        "parental_education": ("quasi", m.pick(["high school", "bachelor", "master", "some college", "none"])),
        "free_lunch": ("sensitive|quasi", m.flag(0.25)),
        "sen_status": ("sensitive", m.pick("none K E")),
        "math_score": ("sensitive", m.whole(20, 100)),
        "gpa": ("sensitive", m.normal(2.9, 0.5, 2)),
        "teacher_remarks": ("text", m.prose("Often late|Good work in|Talks to")),
    }


def insurance() -> Table:
    m = Maker(1100, 7, "de_DE")
    return {
        "Policennummer": ("identifier", m.serial("VN{}")),
        "Versicherter": ("identifier", m.each(m.faker.name)),
        "Geburtsdatum": (
            "quasi",
            m.each(lambda: m.faker.date_of_birth(minimum_age=18, maximum_age=85).strftime("%d.%m.%Y")),
        ),
        "Geschlecht": ("quasi", m.pick(["männlich", "weiblich", "divers"], tilt=1.4)),
        "PLZ": ("quasi", m.each(lambda: f"0{m.draw.randint(1000, 1090)}")),
        "Familienstand": ("quasi", m.pick("ledig verheiratet geschieden verwitwet")),
        "Beruf": ("quasi", m.pick([m.faker.job() for _ in range(30)])),
        "Fahrzeugtyp": ("quasi", m.pick("Kleinwagen Kombi SUV Limousine Transporter")),
        "SF_Klasse": ("keep|quasi|sensitive", m.whole(0, 35)),
        "Prämie": ("sensitive|keep", m.skewed(600)),
        "Schadenhöhe": ("sensitive", m.skewed(1500, 2)),
        "Schadensbeschreibung": ("text", m.prose("Auffahrunfall an|Glasbruch bei|Sturmschaden am")),
    }


def real_estate() -> Table:
    m = Maker(1000, 8)
    return {
        "ListingID": ("identifier", [90_000 + i for i in range(m.n)]),
        "OwnerName": ("identifier", m.each(m.faker.name)),
        "Address": ("identifier", m.each(m.faker.street_address)),
        "lat": ("quasi", m.normal(47.6, 0.1, 5)),
        "lng": ("quasi", m.normal(-122.3, 0.1, 5)),
        "sqft": ("quasi", m.whole(400, 4200)),
        "bedrooms": ("quasi", m.whole(1, 6)),
        "yr_built": ("quasi", m.whole(1905, 2022)),
        "listing_type": ("keep", m.pick("sale rent")),
        "price": ("sensitive|keep|quasi", m.skewed(450_000, 0)),
        "agent_notes": ("text", m.prose("Sunny home near|Must see|Owner wants")),
    }


def survey() -> Table:
    m = Maker(800, 9)
    table: Table = {
        "respondent": ("identifier", m.serial("R{}")),
        "age_group": ("quasi", m.pick("18-24 25-34 35-44 45-54 55-64 65+")),
        "region": ("quasi", m.pick("North South East West")),
        "party_voted": ("sensitive", m.pick("Green Red Blue Yellow none")),
        "religion": ("sensitive", m.pick(["Christian", "Muslim", "none", "Jewish", "Hindu"])),
        "hh_size": ("quasi", m.whole(1, 6)),
        "open_answer": ("text", m.prose("I think that|We should|It is bad that", 0.3)),
    }
    return table | {f"q{i}": ("keep", m.whole(1, 5)) for i in range(1, 9)}


def sensors() -> Table:
    m = Maker(2000, 10)
    return {
        "device_id": ("identifier", m.owners("dev-{}", 80)),
        "mac": ("identifier", m.each(m.faker.mac_address)),
        "timestamp": ("quasi", m.moment(datetime(2025, 6, 1), 30)),
        "room": ("quasi", m.pick("kitchen bedroom bath living")),
        "temp_c": ("keep", m.normal(21, 3, 2)),
        "humidity_pct": ("keep", m.normal(45, 9, 1)),
        "co2_ppm": ("keep", m.whole(380, 1400)),
        "battery_v": ("keep", m.normal(3.1, 0.2, 2)),
        "fw_version": ("keep|quasi", m.pick("1.2.0 1.3.1 2.0.0")),
        "motion": ("keep|quasi|sensitive", m.flag(0.2)),
    }


def mobility() -> Table:
    m = Maker(1600, 11)
    stations = [f"{m.faker.street_name()} & {i}th" for i in range(40)]
    return {
        "ride_id": ("identifier", m.each(lambda: m.faker.hexify("^" * 16).upper())),
        "rider_id": ("identifier", m.owners("{}", 350)),
        "rideable_type": ("keep", m.pick("classic electric")),
        "started_at": ("quasi", m.moment(datetime(2025, 5, 1), 60)),
        "ended_at": ("quasi", m.moment(datetime(2025, 5, 1), 60)),
        "start_station_name": ("quasi", m.pick(stations)),
        "end_station_name": ("quasi", m.pick(stations)),
        "start_lat": ("quasi", m.normal(41.9, 0.05, 5)),
        "start_lng": ("quasi", m.normal(-87.6, 0.05, 5)),
        "birthyear": ("quasi", m.whole(1950, 2006)),
        "member_casual": ("keep|quasi", m.pick("member casual")),
        "distance_km": ("sensitive|keep|quasi", m.skewed(2.5)),
    }


def bank() -> Table:
    m = Maker(1300, 12, "fr_FR")
    return {
        "num_client": ("identifier", m.serial("{:07d}", 10_000)),
        "nom": ("identifier", m.each(m.faker.last_name)),
        "prenom": ("identifier", m.each(m.faker.first_name)),
        "IBAN": ("identifier", m.each(m.faker.iban)),
        "date_naissance": (
            "quasi",
            m.each(lambda: m.faker.date_of_birth(minimum_age=18, maximum_age=90).strftime("%d/%m/%Y")),
        ),
        "sexe": ("quasi", m.pick("H F")),
        "code_postal": ("quasi", m.each(lambda: f"{m.draw.choice(['01', '69', '75'])}{m.draw.randint(0, 20):03d}")),
        "situation_familiale": ("quasi", m.pick(["Célibataire", "Marié(e)", "Divorcé(e)", "Veuf(ve)"])),
        "profession": ("quasi", m.pick([m.faker.job() for _ in range(35)])),
        "revenu_annuel": ("sensitive", m.skewed(31_000, 0)),
        "solde": ("sensitive", m.skewed(2500)),
        "montant_pret": ("sensitive", m.skewed(90_000, 0)),
        "defaut": ("sensitive", m.pick([0, 1], tilt=2.5)),
        "commentaire": ("text", m.prose("Le client souhaite|Appel du|Demande de", 0.4)),
    }


def legal() -> Table:
    m = Maker(700, 13)
    return {
        "docket_no": ("identifier", m.serial("25-cv-{}")),
        "defendant": ("identifier", m.each(m.faker.name)),
        "judge": ("identifier|quasi", m.pick([m.faker.name() for _ in range(25)])),
        "court": ("quasi|keep", m.pick(["N.D. Cal.", "S.D.N.Y.", "E.D. Va.", "D. Mass."])),
        "filed": ("quasi", m.day(date(2020, 1, 1), 1800)),
        "def_age": ("quasi", m.whole(18, 75)),
        "nationality": ("quasi", m.pick(["American", "Mexican", "Canadian", "Chinese"])),
        "offense": ("sensitive", m.pick("theft fraud assault burglary arson")),
        "sentence_months": ("sensitive", m.whole(0, 120)),
        "prior_convictions": ("sensitive", m.whole(0, 6)),
        "opinion_text": ("text", m.prose("The court finds|Defendant argues|Motion to")),
    }


def clinica() -> Table:
    m = Maker(1100, 14, "es_ES")
    return {
        "id_paciente": ("identifier", m.owners("P{}", 420)),
        "nombre_completo": ("identifier", m.each(m.faker.name)),
        "DNI": ("identifier", m.each(lambda: f"{m.draw.randint(10**7, 10**8 - 1)}{m.draw.choice('TRWAGMYFP')}")),
        "telefono": ("identifier", m.each(lambda: f"6{m.draw.randint(10**7, 10**8 - 1)}")),
        "fecha_nac": ("quasi", m.each(lambda: m.faker.date_of_birth(maximum_age=95).strftime("%d/%m/%Y"))),
        "sexo": ("quasi", m.pick("Hombre Mujer")),
        "municipio": ("quasi", m.pick([m.faker.city() for _ in range(40)])),
        "fecha_consulta": ("quasi", m.moment(datetime(2025, 1, 7), 300)),
        "diagnostico": ("sensitive", m.pick("diabetes asma hipertensión migraña ansiedad")),
        "peso_kg": ("quasi|sensitive", m.normal(72, 14)),
        "fumador": ("sensitive", m.pick("no sí")),
        "observaciones": ("text", m.prose("El paciente refiere|Se recomienda|Acude por")),
    }


def card_fraud() -> Table:
    m = Maker(1500, 15)
    return {
        "trans_num": ("identifier", m.each(lambda: m.faker.hexify("^" * 32))),
        "cc_num": ("identifier", m.each(lambda: m.draw.choice(cards)))
        if (cards := [m.faker.credit_card_number() for _ in range(300)])
        else ("", []),
        "merchant": ("keep|quasi", m.pick([m.faker.company() for _ in range(30)])),
        "category": ("keep", m.pick("grocery gas travel food misc")),
        "amt": ("sensitive", m.skewed(60)),
        "first": ("identifier", m.each(m.faker.first_name)),
        "last": ("identifier", m.each(m.faker.last_name)),
        "street": ("identifier", m.each(m.faker.street_address)),
        "state": ("quasi", m.pick("CA TX NY FL WA")),
        "job": ("quasi", m.pick([m.faker.job() for _ in range(50)])),
        "dob": ("quasi", m.day(date(1940, 1, 1), 22_000)),
        "trans_date_trans_time": ("quasi", m.moment(datetime(2025, 1, 1), 180)),
        "is_fraud": ("sensitive", m.flag(0.04)),
    }


def gym() -> Table:
    m = Maker(900, 16, "nl_NL")
    return {
        "lidnr": ("identifier", m.serial("L{}")),
        "voornaam": ("identifier", m.each(m.faker.first_name)),
        "achternaam": ("identifier", m.each(m.faker.last_name)),
        "geboortejaar": ("quasi", m.whole(1945, 2008)),
        "geslacht": ("quasi", m.pick("man vrouw")),
        "woonplaats": ("quasi", m.pick([m.faker.city() for _ in range(25)])),
        "lengte": ("quasi|sensitive", m.whole(150, 203)),
        "gewicht": ("quasi|sensitive", m.normal(78, 13)),
        "abonnement": ("keep", m.pick("basis plus premium")),
        "hartslag_rust": ("sensitive", m.whole(48, 95)),
        "bezoeken_per_maand": ("sensitive|keep|quasi", m.whole(0, 25)),
        "opmerking": ("text", m.prose("Wil graag|Heeft last van|Traint voor", 0.5)),
    }


def blood_donors() -> Table:
    """Names that say nothing: values alone must tell."""
    m = Maker(1000, 17)
    return {
        "c1": ("identifier", m.each(lambda: str(m.faker.uuid4()))),
        "c2": ("identifier", m.each(m.faker.name)),
        "c3": ("identifier", m.each(m.faker.email)),
        "c4": ("quasi", m.pick(["male", "female"])),
        "c5": ("quasi", m.day(date(1950, 1, 1), 18_000)),
        "c6": ("quasi", m.pick(["Germany", "France", "Poland", "Spain", "Italy"])),
        "c7": ("sensitive", m.pick("A+ O+ B+ AB+ A- O-")),
        "c8": ("text", m.prose("Donor felt|Please call|Came with")),
        "c9": ("quasi", m.whole(18, 70)),
        "c10": ("quasi", m.pick(["single", "married", "divorced", "widowed"])),
        "c11": ("identifier", m.each(lambda: m.faker.numerify("(###) ###-####"))),
        "c12": ("quasi", m.pick(["Bachelor", "Master", "High School", "Doctorate"])),
    }


def energy() -> Table:
    m = Maker(1400, 18, "de_DE")
    return {
        "Zaehlernummer": ("identifier", m.owners("1EMH{}", 400)),
        "Kunden-Nr.": ("identifier", m.owners("{}", 400)),
        "Ablesedatum": ("quasi", m.day(date(2023, 1, 1), 700)),
        "Wohnort": ("quasi", m.pick([m.faker.city() for _ in range(30)])),
        "Wohnfläche": ("quasi", m.whole(30, 220)),
        "Personen im Haushalt": ("quasi", m.whole(1, 6)),
        "Verbrauch kWh": ("sensitive|keep|quasi", m.skewed(2600, 0)),
        "Tarif": ("keep", m.pick("Grundversorgung Öko Flex")),
        "Kontostand": ("sensitive", m.normal(20, 90, 2)),
        "Bemerkungen": ("text", m.prose("Kunde ruft an wegen|Ablesung durch|Zugang nur über", 0.5)),
    }


def dating() -> Table:
    m = Maker(1000, 19)
    return {
        "userName": ("identifier", m.each(m.faker.user_name)),
        "profileUrl": ("identifier", m.each(m.faker.uri)),
        "ageYears": ("quasi", m.whole(18, 66)),
        "genderIdentity": ("quasi", m.pick("woman man nonbinary", tilt=1.4)),
        "sexualOrientation": ("sensitive", m.pick("straight gay bisexual other", tilt=1.3)),
        "heightCm": ("quasi", m.whole(150, 202)),
        "homeTown": ("quasi", m.pick([m.faker.city() for _ in range(50)])),
        "occupationTitle": ("quasi", m.pick([m.faker.job() for _ in range(50)])),
        "lastSeen": ("quasi", m.moment(datetime(2026, 1, 1), 60)),
        "aboutMe": ("text", m.prose("I love|Looking for|Ask me about")),
        "incomeBracket": ("sensitive", m.pick(["<20k", "20-50k", "50-100k", ">100k"])),
        "smokes": ("sensitive|quasi", m.pick("no yes")),
    }


def tickets_pl() -> Table:
    m = Maker(1000, 20, "pl_PL")
    return {
        "PESEL": ("identifier", m.each(m.faker.pesel)),
        "imie": ("identifier", m.each(m.faker.first_name)),
        "nazwisko": ("identifier", m.each(m.faker.last_name)),
        "wiek": ("quasi", m.whole(18, 80)),
        "plec": ("quasi", m.pick("K M")),
        "miasto": ("quasi", m.pick("Warszawa Kraków Gdańsk Poznań Łódź")),
        "kod_pocztowy": ("quasi", m.each(lambda: f"{m.draw.randint(0, 9)}0-{m.draw.randint(1, 40):03d}")),
        "wyksztalcenie": ("quasi", m.pick("podstawowe średnie wyższe")),
        "zarobki": ("sensitive", m.skewed(6000, 0)),
        "status": ("keep", m.pick("otwarte zamknięte")),
        "opis": ("text", m.prose("Klient prosi o|Zgłoszenie dotyczy|Brak dostępu do")),
    }


TABLES: dict[str, Callable[[], Table]] = {
    make.__name__: make
    for make in (
        hospital, retail, telecom, personnel, web_log, school, insurance, real_estate, survey, sensors, mobility, bank,
        legal, clinica, card_fraud, gym, blood_donors, energy, dating, tickets_pl,
    )
}  # fmt: skip


def frame(table: Table) -> pl.DataFrame:
    """The table without its labels."""
    return pl.DataFrame({name: values for name, (_, values) in table.items()}, strict=False)
