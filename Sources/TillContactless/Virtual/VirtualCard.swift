/// An in-memory card: its properties and its fault.
public struct VirtualCard: Sendable {
    /// Short name, as used in commands.
    public let name: String
    /// The application identifier, 5 to 16 bytes.
    public let aid: [UInt8]
    /// The application label.
    public let label: String
    /// The reading flow.
    public let style: Style
    /// A published test number.
    public let number: String
    /// Expiry year and month, `3012` is December 2030.
    public let expiry: String
    /// Passes in the wallet, if it is a phone.
    public let passes: [VirtualPass]
    /// The simulated fault.
    public let fault: Fault

    /// The reading flow of a card.
    public enum Style: Hashable, Sendable {
        /// The cryptogram is returned with the processing options, as in kernel 3.
        case fast
        /// Records first, then GENERATE AC, as in kernel 2.
        case full
    }

    /// A simulated fault.
    public enum Fault: Hashable, Sendable {
        /// No fault.
        case none
        /// The card declines the payment.
        case declines
        /// The application is blocked.
        case blocked
        /// The card is removed after this many commands.
        case torn(after: Int)
        /// Card number and track disagree.
        case lies
        /// The certificate was modified.
        case forged
        /// Responses are not data objects.
        case garbage
        /// The file locator names more records than a card can have.
        case endless
        /// The card stops responding after this many commands.
        case silent(after: Int)
        /// Each response takes this long, in milliseconds.
        case slow(Int64)
        /// Two cards are in the field.
        case collision
        /// A phone that requires confirmation on the device, this many times.
        case asksForTheOwner(times: Int)
    }

    /// Creates a card; `expiry` is `YYMM`.
    public init(
        name: String, aid: [UInt8], label: String, style: Style, number: String, expiry: String = "3012",
        passes: [VirtualPass] = [], fault: Fault = .none
    ) {
        (self.name, self.aid, self.label, self.style) = (name, aid, label, style)
        (self.number, self.expiry, self.passes, self.fault) = (number, expiry, passes, fault)
    }

    /// Returns the same card with another fault.
    public func with(_ fault: Fault, name: String? = nil) -> VirtualCard {
        VirtualCard(
            name: name ?? self.name, aid: aid, label: label, style: style, number: number, expiry: expiry,
            passes: passes, fault: fault)
    }

    /// Kernel 3, with fDDA.
    public static let visa = VirtualCard(
        name: "visa", aid: [0xA0, 0, 0, 0, 3, 0x10, 0x10], label: "VISA CREDIT", style: .fast,
        number: "4761739001010119")
    /// Kernel 2, with CDA.
    public static let mastercard = VirtualCard(
        name: "mastercard", aid: [0xA0, 0, 0, 0, 4, 0x10, 0x10], label: "MASTERCARD", style: .full,
        number: "5413330089010442")
    /// Kernel 4, read like kernel 2.
    public static let amex = VirtualCard(
        name: "amex", aid: [0xA0, 0, 0, 0, 0x25, 0x01, 0x04], label: "AMERICAN EXPRESS", style: .full,
        number: "374245001751006")
    /// Canada's debit scheme, read like kernel 3.
    public static let interac = VirtualCard(
        name: "interac", aid: [0xA0, 0, 0, 2, 0x77, 0x10, 0x10], label: "INTERAC", style: .fast,
        number: "4506445006931933")
    /// A phone with a card and a loyalty pass.
    public static let wallet = VirtualCard(
        name: "wallet", aid: [0xA0, 0, 0, 0, 3, 0x10, 0x10], label: "VISA CREDIT", style: .fast,
        number: "4761739001010119", passes: [.example])

    /// All predefined cards.
    public static let all: [VirtualCard] = [
        visa, mastercard, amex, interac, wallet,
        VirtualCard(
            name: "expired", aid: visa.aid, label: visa.label, style: .fast, number: visa.number, expiry: "2001"),
        visa.with(.declines, name: "declined"), visa.with(.blocked, name: "blocked"),
        mastercard.with(.torn(after: 3), name: "torn"), mastercard.with(.lies, name: "lying"),
        mastercard.with(.forged, name: "forged"), visa.with(.garbage, name: "garbage"),
        visa.with(.endless, name: "endless"), visa.with(.silent(after: 2), name: "silent"),
        visa.with(.slow(50), name: "slow"), visa.with(.collision, name: "collision"),
        wallet.with(.asksForTheOwner(times: 1), name: "locked"),
    ]
}
