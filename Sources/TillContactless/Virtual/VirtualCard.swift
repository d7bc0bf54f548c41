/// A card that exists in memory: what it is, and how it misbehaves.
public struct VirtualCard: Sendable {
    /// Short name, as commands take it.
    public let name: String
    /// The application's identifier, 5 to 16 bytes.
    public let aid: [UInt8]
    /// What it calls its application.
    public let label: String
    /// How it is read.
    public let style: Style
    /// A published test number.
    public let number: String
    /// Year and month, `3012` is December 2030.
    public let expiry: String
    /// Passes in its wallet, if it is a phone.
    public let passes: [VirtualPass]
    /// What it does wrong.
    public let fault: Fault

    /// How a card is read.
    public enum Style: Hashable, Sendable {
        /// The cryptogram comes with the processing options, as kernel 3 reads it.
        case fast
        /// Records first, then GENERATE AC, as kernel 2 reads it.
        case full
    }

    /// What a card does wrong.
    public enum Fault: Hashable, Sendable {
        /// It behaves as a good card does.
        case none
        /// It declines the payment.
        case declines
        /// Its application is blocked.
        case blocked
        /// It leaves after this many commands.
        case torn(after: Int)
        /// Its number and its track disagree.
        case lies
        /// Its certificate was changed.
        case forged
        /// It answers with bytes that are no data objects.
        case garbage
        /// Its file locator names more records than a card can have.
        case endless
        /// It says nothing after this many commands.
        case silent(after: Int)
        /// Each answer takes this long, in milliseconds.
        case slow(Int64)
        /// Two of them are in the field.
        case collision
        /// A phone whose owner has not confirmed yet, this many times.
        case asksForTheOwner(times: Int)
    }

    /// A card from what its application says; `expiry` is `YYMM`.
    public init(
        name: String, aid: [UInt8], label: String, style: Style, number: String, expiry: String = "3012",
        passes: [VirtualPass] = [], fault: Fault = .none
    ) {
        (self.name, self.aid, self.label, self.style) = (name, aid, label, style)
        (self.number, self.expiry, self.passes, self.fault) = (number, expiry, passes, fault)
    }

    /// The same card with another fault.
    public func with(_ fault: Fault, name: String? = nil) -> VirtualCard {
        VirtualCard(
            name: name ?? self.name, aid: aid, label: label, style: style, number: number, expiry: expiry,
            passes: passes, fault: fault)
    }

    /// Kernel 3, with fast data authentication.
    public static let visa = VirtualCard(
        name: "visa", aid: [0xA0, 0, 0, 0, 3, 0x10, 0x10], label: "VISA CREDIT", style: .fast,
        number: "4761739001010119")
    /// Kernel 2, with combined data authentication.
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

    /// Every card by its name.
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
