import TillCore

/// The scheme of a card application, by identifier prefix. Source: the registered provider identifiers.
public struct Scheme: Hashable, Sendable {
    /// The display name.
    public let name: String
    /// The default kernel under EMV, if the card names none.
    public let kernel: KernelID

    /// Finds the scheme of an application identifier; `nil` if unknown.
    public init?(aid: [UInt8]) {
        let text = Hex.text(aid)
        guard let row = Scheme.table.first(where: { text.hasPrefix($0.0) }) else { return nil }
        (name, kernel) = (row.1, row.2)
    }

    /// The program-level name: `visa`, `mastercard`, `amex`, `interac`, `eftpos_au`, …
    public var brand: String {
        switch name {
        case "American Express": "amex"
        case "eftpos Australia": "eftpos_au"
        case "Visa Electron", "V PAY", "Plus", "Visa US common debit": "visa"
        case "Maestro", "Mastercard US common debit": "mastercard"
        case "Discover US common debit": "discover"
        default: name.lowercased()
        }
    }

    /// Identifiers accepted by default, longest first within a scheme.
    public static let knownPrefixes: [String] = table.map(\.0)

    /// Full application identifiers selected one by one on cards without a directory.
    public static let directApplications: [[UInt8]] = [
        "A0000000031010", "A0000000032010", "A0000000041010", "A0000000043060", "A000000025010402", "A000000025010403",
        "A000000025010901", "A0000000651010", "A0000001523010", "A0000003241010", "A000000333010101",
        "A000000333010102", "A000000333010103", "A0000000421010", "A0000002771010", "A00000038410", "A00000038420",
        "A00000035910100281", "A0000003591010028001", "A00000005945430100", "A0000001211010", "D5780000021010",
        "A0000005241010", "A0000006581010",
    ].compactMap { Hex.bytes(ifValid: $0) }

    private static let table: [(String, String, KernelID)] = [
        ("A0000000032010", "Visa Electron", .visa), ("A0000000032020", "V PAY", .visa),
        ("A0000000038010", "Plus", .visa),
        ("A0000000980840", "Visa US common debit", .visa), ("A000000003", "Visa", .visa),
        ("A0000000043060", "Maestro", .mastercard), ("A0000000042203", "Mastercard US common debit", .mastercard),
        ("A000000004", "Mastercard", .mastercard), ("A00000002501", "American Express", .americanExpress),
        ("A000000025", "American Express", .americanExpress), ("A0000000651010", "JCB", .jcb),
        ("A000000065", "JCB", .jcb),
        ("A0000001523010", "Discover", .discover), ("A0000001524010", "Discover US common debit", .discover),
        ("A000000152", "Discover", .discover), ("A000000333", "UnionPay", .unionPay),
        ("A0000000421010", "CB", .visa), ("A000000042", "CB", .visa), ("A0000002771010", "Interac", .visa),
        ("A000000277", "Interac", .visa), ("A000000384", "eftpos Australia", .visa),
        ("A00000035910100281", "girocard", .mastercard), ("D276000025", "girocard", .mastercard),
        ("A0000003591010028001", "girocard", .mastercard), ("A00000005945430100", "girocard", .mastercard),
        ("A0000003241010", "Discover ZIP", .discover), ("A000000141", "PagoBANCOMAT", .mastercard),
        ("A000000228", "mada", .mastercard), ("A000000371", "Verve", .mastercard),
        ("A000000672", "TROY", .mastercard), ("A0000006200620", "US common debit", .visa),
        ("A0000001211010", "Dankort", .visa), ("D5780000021010", "BankAxept", .mastercard),
        ("A000000524", "RuPay", .visa), ("A000000658", "Mir", .visa),
    ]
}

/// The kernel for an application. Source: EMV Contactless Book B, kernel identifiers.
public struct KernelID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The kernel number in the standard.
    public let rawValue: UInt8
    /// Creates an identifier from the standard's number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Kernel 2 (EMV Book C-2).
    public static let mastercard = KernelID(rawValue: 2)
    /// Kernel 3 (EMV Book C-3).
    public static let visa = KernelID(rawValue: 3)
    /// Kernel 4 (EMV Book C-4).
    public static let americanExpress = KernelID(rawValue: 4)
    /// Kernel 5 (EMV Book C-5).
    public static let jcb = KernelID(rawValue: 5)
    /// Kernel 6 (EMV Book C-6).
    public static let discover = KernelID(rawValue: 6)
    /// Kernel 7 (EMV Book C-7).
    public static let unionPay = KernelID(rawValue: 7)
    /// Kernel 8, EMVCo's own.
    public static let common = KernelID(rawValue: 8)

    /// The numbered name, such as `kernel 3`.
    public var description: String { "kernel \(rawValue)" }
}
