import Testing
import TillCards
import TillTestSupport

@Suite("The table of card networks") struct CardBrandTableTests {
    // Written from the networks' published ranges, not from the table: the ends of each range, and which network is
    // the likeliest for a whole number that begins so.
    static let likeliest: [(CardBrand, [String])] = [
        (.visa, ["4000", "4999", "4032036247327321", "4242424242422"]),
        (.mastercard, ["51", "55", "2221", "2720", "2223000048400011", "2300", "2699", "2710"]),
        (.amex, ["34", "37", "371449635398431", "376680816376961"]),
        (.diners, ["300", "305", "36", "38", "39", "36259600000004", "36461510000039", "3636500000000260"]),
        (.jcb, ["3528", "3589", "3550", "1800", "2131"]),
        (
            .unionpay,
            [
                "620", "62100", "62182", "62184", "62197", "62200", "622010", "622999", "623", "626", "6270", "6272",
                "6276", "627700", "627799", "6282", "6289", "6291", "6292", "810", "8131", "8152", "8171", "622126",
                "6200680000000004", "6200680000000038", "6205500000000000004",
            ]
        ),
        (.discover, ["6011", "644", "649", "65"]),
        (
            .elo,
            [
                "401178", "401179", "438935", "457631", "457632", "431274", "451416", "457393", "504175", "506699",
                "506778", "509000", "509999", "627780", "636297", "636368", "650031", "650033", "650035", "650051",
                "650405", "650439", "650485", "650538", "650541", "650598", "650700", "650718", "650720", "650727",
                "650901", "650978", "651652", "651679", "655000", "655019", "655021", "655058",
            ]
        ),
        (.mir, ["2200", "2204"]),
        (.hiper, ["637095", "63737423", "63743358", "637568", "637599", "637609", "637612"]),
        (.hipercard, ["606282"]),
        (.troy, ["9792"]),
        (.naranja, ["589562", "402918", "527572"]),
        (.dankort, ["4571", "5019"]),
        (
            .maestro,
            [
                "493698", "500000", "504174", "504176", "505999", "56", "59", "63", "67", "6304000000000000",
                "5063516945005047", "508999",
            ]
        ),
    ]

    @Test("the likeliest network of each range's ends", arguments: likeliest)
    func ends(_ row: (CardBrand, [String])) {
        for digits in row.1 {
            // A few Maestro ranges begin like Dankort's four digits; the longer range wins.
            let whole = digits.count < 8 && row.0 == .maestro ? digits.padding(to: 6) : digits
            #expect(CardBrandTable.likeliest(for: whole)?.brand == row.0, "\(digits)")
        }
    }

    // First digits just outside a range: the network must not be a candidate any more.
    static let outside: [(CardBrand, [String])] = [
        (.visa, ["3", "5"]), (.mastercard, ["50", "56", "2220", "2721"]), (.amex, ["33", "35", "36"]),
        (.diners, ["306", "35", "37"]), (.jcb, ["3527", "3590", "1801", "2132"]),
        (.unionpay, ["62183", "62198", "627780", "6281", "6290", "6293", "8172", "809"]),
        (.discover, ["6010", "6012", "643", "622125", "622926", "64300"]),
        (.elo, ["401177", "401180", "506698", "506779", "650034", "650052", "655020", "655059"]),
        (.mir, ["2199", "2205"]), (.hiper, ["637094", "637096", "63737424"]), (.hipercard, ["606281", "606283"]),
        (.troy, ["9791", "9793"]), (.verve, ["506098", "506128", "506130", "507867", "507942"]),
        (.maestro, ["504175", "506699", "506778", "499999", "55", "7"]), (.naranja, ["589561", "527573"]),
        (.rupay, ["61", "66", "80", "83", "507"]), (.dankort, ["5018", "4570"]),
    ]

    @Test("a number just outside a range is no candidate", arguments: outside)
    func justOutside(_ row: (CardBrand, [String])) {
        for digits in row.1 {
            #expect(!CardBrandTable.candidates(for: digits).contains { $0.brand == row.0 }, "\(digits)")
        }
    }

    @Test("networks that share a range are all candidates")
    func sharedRanges() {
        func brands(_ digits: String) -> Set<CardBrand> { Set(CardBrandTable.candidates(for: digits).map(\.brand)) }
        #expect(brands("6221261").isSuperset(of: [.unionpay, .discover, .maestro]))
        #expect(brands("6229251").isSuperset(of: [.unionpay, .discover]))
        #expect(!brands("6229261").contains(.discover))
        #expect(brands("4571") == [.visa, .dankort])
        #expect(brands("650031").isSuperset(of: [.elo, .discover, .rupay]))
        #expect(brands("506099").isSuperset(of: [.verve, .maestro]))
        #expect(brands("508500").isSuperset(of: [.rupay, .maestro]))
        #expect(brands("507865").contains(.verve))
    }

    @Test("what is typed narrows the candidates and never widens them")
    func narrowing() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<20_000 {
            var digits = ""
            var before = Set(CardBrandTable.candidates(for: "").map(\.brand))
            for _ in 0..<10 {
                digits.append(String(Int.random(in: 0...9, using: &random)))
                let now = Set(CardBrandTable.candidates(for: digits).map(\.brand))
                #expect(now.isSubset(of: before), "\(digits)")
                before = now
            }
        }
    }

    @Test("lengths and code of each network")
    func lengths() {
        let expected: [CardBrand: ([Int], Int)] = [
            .visa: ([13, 16, 18, 19], 3), .mastercard: ([16], 3), .amex: ([15], 4), .diners: ([14, 16, 19], 3),
            .discover: ([16, 19], 3), .jcb: ([15, 16, 17, 18, 19], 3), .unionpay: (Array(14...19), 3),
            .maestro: (Array(12...19), 3), .elo: ([16], 3), .mir: (Array(16...19), 3), .hiper: ([16], 3),
            .hipercard: ([16], 3), .troy: ([16], 3), .verve: ([16, 18, 19], 3), .naranja: ([16], 3),
            .rupay: ([16], 3), .dankort: ([16], 3), .cartesBancaires: ([16], 3), .eftposAU: ([16], 3),
        ]
        for profile in CardBrandTable.profiles {
            #expect(expected[profile.brand]?.0 == profile.lengths, "\(profile.brand)")
            #expect(expected[profile.brand]?.1 == profile.codeLength, "\(profile.brand)")
        }
        #expect(expected.count == CardBrandTable.profiles.count)
        #expect(CardBrandTable.profiles.filter(\.codeIsOptional).map(\.brand) == [.maestro, .eftposAU])
    }

    @Test("a second brand is never named by the number alone")
    func coBadges() {
        for first in 0...9999 {
            let found = CardBrandTable.candidates(for: String(first)).map(\.brand)
            #expect(!found.contains(.cartesBancaires) && !found.contains(.eftposAU))
        }
    }
}

extension String {
    func padding(to count: Int) -> String { self + String(repeating: "0", count: Swift.max(0, count - self.count)) }
}
