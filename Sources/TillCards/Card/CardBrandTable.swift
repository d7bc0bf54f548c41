/// All known networks by IIN range.
///
/// The ranges are those published by the networks and agreed on by widely used card forms. Ranges overlap: a number may
/// belong to several networks, so lookups return candidates, most likely first.
public enum CardBrandTable {
    /// A network that a number may belong to.
    public struct Candidate: Hashable, Sendable {
        /// The network's card properties.
        public let profile: CardBrandProfile
        /// Number of leading digits that match.
        public let matchedDigits: Int
        /// `true` if a full range prefix was typed; otherwise more digits may still rule it out.
        public let isCertain: Bool
        /// The network's name in journals and receipts.
        public var brand: CardBrand { profile.brand }
    }

    /// Returns the networks that a number with these leading digits may belong to: full prefix matches first, longest
    /// range first among them; every network while nothing is typed. Anything but ASCII digits matches nothing.
    public static func candidates(for digits: String) -> [Candidate] {
        guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return [] }
        let prefix = TypedPrefix(digits)
        var found: [Candidate] = []
        found.reserveCapacity(4)
        for profile in profiles where !profile.prefixes.isEmpty {
            if prefix.count == 0 {
                found.append(Candidate(profile: profile, matchedDigits: 0, isCertain: false))
            } else if let candidate = best(profile, prefix) {
                found.append(candidate)
            }
        }
        // Stable insertion sort: ties keep the table's order.
        var sorted: [Candidate] = []
        sorted.reserveCapacity(found.count)
        for candidate in found {
            let place = sorted.firstIndex { isBefore(candidate, $0) } ?? sorted.count
            sorted.insert(candidate, at: place)
        }
        return sorted
    }

    /// Returns the most likely network with a full prefix match; `nil` if there is none yet.
    public static func likeliest(for digits: String) -> CardBrandProfile? {
        guard let first = candidates(for: digits).first, first.isCertain else { return nil }
        return first.profile
    }

    /// Returns the card properties of a network.
    public static func profile(of brand: CardBrand) -> CardBrandProfile? { profiles.first { $0.brand == brand } }

    private static func best(_ profile: CardBrandProfile, _ prefix: TypedPrefix) -> Candidate? {
        var whole = 0
        var partial = 0
        for range in profile.prefixes {
            let matched = range.match(prefix)
            if matched == range.length { whole = max(whole, matched) } else { partial = max(partial, matched) }
        }
        if whole > 0 { return Candidate(profile: profile, matchedDigits: whole, isCertain: true) }
        guard partial > 0 else { return nil }
        return Candidate(profile: profile, matchedDigits: partial, isCertain: false)
    }

    private static func isBefore(_ a: Candidate, _ b: Candidate) -> Bool {
        if a.isCertain != b.isCertain { return a.isCertain }
        return a.isCertain && a.matchedDigits > b.matchedDigits
    }

    private static func range(_ low: Int, _ high: Int? = nil) -> CardPrefixRange { CardPrefixRange(low, high) }
    private static func each(_ values: Int...) -> [CardPrefixRange] { values.map { CardPrefixRange($0) } }

    /// Every network; where ranges tie, the earlier one is more likely.
    public static let profiles: [CardBrandProfile] = [
        // 13 digits: the oldest cards.
        CardBrandProfile(.visa, "Visa", [13, 16, 18, 19], [range(4)]),
        CardBrandProfile(.mastercard, "Mastercard", [16], code: "CVC", [range(51, 55), range(2221, 2720)]),
        CardBrandProfile(
            .amex, "American Express", [15], code: "CID", codeLength: 4, printedGroups: [4, 6, 5], each(34, 37)),
        CardBrandProfile(
            .diners, "Diners Club", [14, 16, 19], printedGroups: [4, 6, 4], [range(300, 305)] + each(36, 38, 39)),
        CardBrandProfile(.jcb, "JCB", [15, 16, 17, 18, 19], [range(3528, 3589)] + each(1800, 2131)),
        CardBrandProfile(
            .unionpay, "UnionPay", [14, 15, 16, 17, 18, 19], code: "CVN", toleratesWrongCheckDigit: true, unionPay),
        CardBrandProfile(
            .discover, "Discover", [16, 19], code: "CID",
            [range(6011), range(644, 649), range(65), range(622_126, 622_925)]),
        CardBrandProfile(.elo, "Elo", [16], code: "CVE", elo),
        CardBrandProfile(.mir, "Mir", [16, 17, 18, 19], code: "CVP2", [range(2200, 2204)]),
        CardBrandProfile(
            .hiper, "Hiper", [16], code: "CVC",
            each(637_095, 63_737_423, 63_743_358, 637_568, 637_599, 637_609, 637_612)),
        CardBrandProfile(.hipercard, "Hipercard", [16], code: "CVC", each(606_282)),
        CardBrandProfile(.troy, "Troy", [16], each(9792)),
        CardBrandProfile(.verve, "Verve", [16, 18, 19], verve),
        CardBrandProfile(.naranja, "Naranja", [16], each(589_562, 402_918, 527_572)),
        CardBrandProfile(.dankort, "Dankort", [16], each(5019, 4571)),
        CardBrandProfile(
            .maestro, "Maestro", [12, 13, 14, 15, 16, 17, 18, 19], code: "CVC", codeIsOptional: true, maestro),
        CardBrandProfile(.rupay, "RuPay", [16], each(60, 65, 81, 82, 508)),
        CardBrandProfile(.cartesBancaires, "Cartes Bancaires", [16], []),
        CardBrandProfile(.eftposAU, "eftpos", [16], codeIsOptional: true, []),
    ]

    private static let unionPay =
        each(620, 810, 6270, 6272, 6276, 6291, 6292)
        + [
            range(62_100, 62_182), range(62_184, 62_197), range(62_200, 62_205), range(622_010, 622_999),
            range(62_207, 62_209), range(623, 626), range(627_700, 627_779), range(627_781, 627_799),
            range(6282, 6289), range(8110, 8171),
        ]

    private static let elo =
        each(
            401_178, 401_179, 431_274, 438_935, 451_416, 457_393, 457_631, 457_632, 504_175, 627_780, 636_297, 636_368
        ) + [
            range(506_699, 506_778), range(509_000, 509_999), range(650_031, 650_033), range(650_035, 650_051),
            range(650_405, 650_439), range(650_485, 650_538), range(650_541, 650_598), range(650_700, 650_718),
            range(650_720, 650_727), range(650_901, 650_978), range(651_652, 651_679), range(655_000, 655_019),
            range(655_021, 655_058),
        ]

    private static let maestro =
        each(493_698, 63, 67, 6)
        + [range(500_000, 504_174), range(504_176, 506_698), range(506_779, 508_999), range(56, 59)]

    private static let verve =
        each(506_129, 506_166, 506_168, 506_170, 506_173, 506_184, 506_191, 506_195, 506_197, 507_900, 507_941)
        + [
            range(506_099, 506_127), range(506_133, 506_150), range(506_158, 506_163), range(506_176, 506_180),
            range(506_187, 506_188), range(507_865, 507_866), range(507_868, 507_877), range(507_880, 507_888),
        ]
}
