"""Word lists of the shipped sample. Places, firms and products are invented; phones, domains, cards, account numbers
and addresses of the network come from ranges that are reserved for examples or tests."""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.replace("_", " ") for word in text.split())


FIRST_NAMES = _words(
    """
    Aaron Abena Adaeze Adriana Agnieszka Aiko Alasdair Aleksandra Alice Amara Amit Amelia Ana Andrea Andrei
    Anneke Anh Anita Arjun Arthur Astrid Austin Ayesha Beatriz Benjamin Bianca Björn Bogdan Brigid Bruno Camila
    Carlos Carmen Caroline Chiara Chinedu Christopher Ciara Clara Claudia Connor Cosmin Daisy Dana Daniel Darius
    Deborah Dénes Dennis Diego Dimitra Dmitri Dolores Dong-hyun Edith Eduardo Eileen Ekaterina Elena Elif
    Elizabeth Emeka Emma Enrique Erik Esther Ethan Fatima Federica Felix Fiona Francesca Frank François Frida
    Gabriel Genevieve George Gita Grace Grant Greta Guadalupe Gustav Hana Hannah Hassan Heather Henrik Hiroshi
    Hugo Ibrahim Idris Ilse Imani Imre Ines Ingrid Irina Isaac Isla Ivan Jacob Jada Jamal James Jana Jasmine
    Javier Jeremy Jessica Jing Joanna Johanna John Jonas Jorge Joseph Joy Juan Julia Kareem Karin Katarzyna
    Katherine Keisha Kenji Khadija Kofi Krisztina Kwame Lakshmi Lars Laura Leila Leon Leticia Liam Linda Lorenzo
    Louise Luca Lucía Magnus Malik Marek Margaret Maria Mark Marta Mateo Matthew May Mei Mehmet Michael Miguel
    Mina Mohammed Monique Nadia Nathan Neha Ngozi Nicholas Nikolai Nils Noor Nora Norma Olga Oliver Olumide Omar
    Oscar Pamela Patricia Paul Pedro Peter Petra Philip Piotr Priya Rachel Rafael Rahul Ramona Raquel Raymond
    Rebecca Rhiannon Ricardo Rita Robert Rosa Rose Ruth Ryo Sabine Samir Samuel Sandra Sanjay Sara Selma Seán
    Sergio Shanice Sierra Simon Sofia Sophie Stefan Steven Summer Susan Svetlana Tamar Tanja Tariq Teresa
    Thandiwe Theodore Thomas Tiago Timothy Tomás Ursula Valentina Vera Victor Vikram Vincent Wanjiru Wei Wendy
    Will William Winston Xavier Yara Yasmin Yosef Yuki Yusuf Zainab Zoë Zofia
    """
)

NICKNAMES = {
    "Aleksandra": "Ola",
    "Alasdair": "Al",
    "Benjamin": "Ben",
    "Caroline": "Caro",
    "Christopher": "Chris",
    "Daniel": "Danny",
    "Deborah": "Debbie",
    "Eduardo": "Edu",
    "Ekaterina": "Katya",
    "Elizabeth": "Liz",
    "Francesca": "Fran",
    "Gabriel": "Gabe",
    "Genevieve": "Gen",
    "Guadalupe": "Lupe",
    "Jacob": "Jake",
    "James": "Jim",
    "Jessica": "Jess",
    "Joseph": "Joe",
    "Katarzyna": "Kasia",
    "Katherine": "Kate",
    "Margaret": "Peggy",
    "Matthew": "Matt",
    "Michael": "Mike",
    "Mohammed": "Mo",
    "Nicholas": "Nick",
    "Patricia": "Trish",
    "Rebecca": "Becky",
    "Robert": "Bob",
    "Samuel": "Sam",
    "Steven": "Steve",
    "Theodore": "Ted",
    "Thomas": "Tom",
    "Timothy": "Tim",
    "William": "Bill",
}

LAST_NAMES = _words(
    """
    Abara Achterberg Adeyemi Aguilar Ahlgren Alvarado Amin Anand Andersson Appiah Arslan Ashworth Baker Balogun
    Banerjee Barlow Barrientos Beaumont Becker Bellamy Bengtsson Bernhardt Bishop Blackwood Blanchard Bondarenko
    Booth Brandvold Brennan Bridgewater Brook Byrne Caballero Callaghan Carpenter Castellano Chandra Chase
    Chevalier Cho Church Ciobanu Clarke Contreras Cook Costa Cruz Czarnecki D'Angelo Dahl Dalgaard Darwish
    De_la_Cruz Delacroix Demir Diallo Dimitrov Donnelly Dubois Duffy Eklund El-Amin Ellery Escobar Faulkner
    Ferreira Field Fischer Fitzgerald Flores Forde Fox Freund Fujimoto Gallagher Garrigue Ghosh Gianotti
    Goldberg Gonçalves Grady Grant Green Greenwood Gupta Gutiérrez Haddad Hakimi Halvorsen Hammond Hart Hartmann
    Hayashi Healy Hernández Hill Holloway Hope Horváth Huang Hughes Hussain Ibarra Ishikawa Ivanova Jansen
    Jaworski Jiménez Johansson Jones Kaczmarek Kamara Kapoor Karlsson Katz Keller Khatib Kim King Kovács
    Kowalska Krüger Kurt Lam Lambert Larsen Laurent Lefèvre Lindqvist Lindström Little Long López Lundgren
    Maguire Mahmoud Malik Mancini March Marchetti Marković Márquez Martens Martin Mason Mbeki McAllister
    McCarthy Mehta Mendoza Mercer Meyer Miller Moreau Moreno Müller Murphy Nakamura Navarro Ndiaye Neumann
    Nguyen Nielsen Novak Nowak O'Brien O'Connor Obi Ochoa Odhiambo Okafor Okonkwo Oliveira Olsen Ortega Osei
    Osman Park Patel Pereira Petrov Pham Popescu Powell Prince Quinn Quiñones Rahman Ramírez Rao Rasmussen Reid
    Reyes Ricci Rivera Rojas Rosenthal Rossi Rousseau Ruiz Ryan Sandberg Santos Sato Schäfer Schmidt Schneider
    Schwartz Sharma Silva Singh Skinner Smith Soto Stone Svensson Szabó Takahashi Tanaka Taylor Temple Thompson
    Thorne Torres Tran Underwood Ueda Valdez van_den_Berg van_Dijk Vargas Vasquez Villanueva Vogel von_Ahlen
    Wagner Walker Ward Weaver Weber Whitfield Williams Winter Wójcik Wong Wood Yamamoto Yang Yilmaz Young Zapata
    Zhang Zielinski Zimmermann
    """
)

# (prefix of the postcode, town, share): prefixes that the US Postal Service has not assigned
TOWNS = (
    ("517", "Millbrook", 16),
    ("518", "Eastmere", 12),
    ("519", "Port Calder", 7),
    ("529", "Sutter's Hollow", 3),
    ("695", "Ravensford", 15),
    ("696", "Lake Tamsin", 9),
    ("697", "Oakhaven", 6),
    ("699", "Bellwether", 2),
    ("817", "Santa Orilla", 14),
    ("818", "New Harrow", 8),
    ("819", "Quillan Falls", 5),
    ("866", "Mesa Verra", 2),
    ("868", "Thornquay", 1),
)

STREETS = (
    "Harrow Lane",
    "Alder Street",
    "Mill Road",
    "Old Quarry Rd",
    "Linden Ave",
    "Park View",
    "Station Road",
    "Elm Ct.",
    "Juniper Way",
    "Bishop's Walk",
    "Chestnut Blvd",
    "Ferry Street",
    "N. Calder Dr",
    "Wren Close",
    "Foundry Lane",
    "Martingale Terrace",
    "Cedar Hill Rd",
    "Saddler St",
    "Orchard Gardens",
    "Kestrel Drive",
)

EMPLOYERS = (
    "Kestrel Analytics",
    "Brightwater Clinic",
    "Orilla Unified School District",
    "Tamsin & Daughters",
    "Fennimore Freight",
    "Calder County Library",
    "Halcyon Dental",
    "Northgate Plumbing LLC",
    "Verra Robotics",
    "Ostler & Pike",
)

# (model, share): the hierarchy beside the policy groups them into families
DEVICES = (
    ("iPhone 15", 16),
    ("iPhone 13", 11),
    ("iPhone SE", 5),
    ("Galaxy S23", 11),
    ("Galaxy A54", 8),
    ("Pixel 8", 6),
    ("Moto G Power", 3),
    ("iPad Air", 5),
    ("iPad mini", 2),
    ("Galaxy Tab S9", 3),
    ("Fire HD 10", 1),
    ("MacBook Air", 9),
    ("Windows 11 PC", 11),
    ("Windows 10 PC", 5),
    ("Chromebook", 3),
    ("Linux PC", 1),
)

PLANS = (("free", 44), ("basic", 31), ("plus", 18), ("business", 7))

ACCOMMODATIONS = (
    ("none", 58),
    ("large print", 14),
    ("screen reader", 10),
    ("hearing loss", 8),
    ("limited mobility", 6),
    ("mental health", 4),
)

AGENTS = (
    ("Priya", "Raman"),
    ("Marcus", "Ellery"),
    ("Joy", "Okonjo"),
    ("Tomasz", "Bielak"),
    ("Dee", "Hartigan"),
    ("Luis", "Abrego"),
    ("Hope", "Sandoval-Reyes"),
    ("Sunny", "Whitlock"),
)

DOMAINS = (
    "example.com",
    "example.org",
    "example.net",
    "mail.example",
    "post.example",
    "kestrel.example",
    "inbox.example",
    "brightwater.example",
)

# Numbers that networks and banks publish for tests and documentation; no account stands behind them
CARDS = (
    "4111111111111111",
    "4242424242424242",
    "4012888888881881",
    "5555555555554444",
    "5105105105105100",
    "378282246310005",
    "371449635398431",
    "6011111111111117",
    "3530111333300000",
    "4000056655665556",
)
IBANS = (
    "GB33BUKB20201555555555",
    "GB82WEST12345698765432",
    "DE89370400440532013000",
    "FR1420041010050500013M02606",
    "ES9121000418450200051332",
    "NL91ABNA0417164300",
    "CH9300762011623852957",
    "IE29AIBK93115212345678",
)

# Near-misses: what only looks like a person, an identifier or a secret
PRODUCTS = (
    "Marlowe 2 headset",
    "Josephine lamp",
    "Austin desk",
    "Madison chair",
    "Sterling router",
    "Oliver speaker",
    "Grace keyboard",
    "Paige reader",
    "Victoria kettle",
    "Dexter dock",
    "Florence scale",
    "Franklin scanner",
)
HEADINGS = (
    "ACCOUNT RECOVERY: ADVANCED STEPS, section D4",
    "ESCALATION MATRIX, table H2, grid B17",
    "TERMS OF SERVICE § 12",
    "KNOWN ISSUES (WINTER RELEASE)",
    "APPENDIX C2 - RETURN CODES",
    "STEP 3: PAIR THE DEVICE",
)
