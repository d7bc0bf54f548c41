/// The words on an Apple Pay button, by PassKit's number (`PKPaymentButtonType`). Open: a number that PassKit adds
/// later is kept and handed to it.
public struct ApplePayButtonType: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int
    /// Creates a type from any number, without validation.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The logo alone.
    public static let plain = ApplePayButtonType(rawValue: 0)
    public static let buy = ApplePayButtonType(rawValue: 1)
    /// The set-up of Apple Pay. It opens no payment sheet.
    public static let setUp = ApplePayButtonType(rawValue: 2)
    public static let inStore = ApplePayButtonType(rawValue: 3)
    /// For nonprofit organizations that Apple has approved.
    public static let donate = ApplePayButtonType(rawValue: 4)
    public static let checkout = ApplePayButtonType(rawValue: 5)
    public static let book = ApplePayButtonType(rawValue: 6)
    public static let subscribe = ApplePayButtonType(rawValue: 7)
    public static let reload = ApplePayButtonType(rawValue: 8)
    public static let addMoney = ApplePayButtonType(rawValue: 9)
    public static let topUp = ApplePayButtonType(rawValue: 10)
    public static let order = ApplePayButtonType(rawValue: 11)
    public static let rent = ApplePayButtonType(rawValue: 12)
    public static let support = ApplePayButtonType(rawValue: 13)
    public static let contribute = ApplePayButtonType(rawValue: 14)
    public static let tip = ApplePayButtonType(rawValue: 15)
    public static let `continue` = ApplePayButtonType(rawValue: 16)
}

/// The colors of an Apple Pay button, by PassKit's number (`PKPaymentButtonStyle`). Open: a number that PassKit adds
/// later is kept and handed to it.
public struct ApplePayButtonStyle: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int
    /// Creates a style from any number, without validation.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// White, for dark backgrounds.
    public static let white = ApplePayButtonStyle(rawValue: 0)
    /// White with a black outline, for light backgrounds without contrast.
    public static let whiteOutline = ApplePayButtonStyle(rawValue: 1)
    /// Black, for light backgrounds.
    public static let black = ApplePayButtonStyle(rawValue: 2)
    /// Black or white, by the device's appearance.
    public static let automatic = ApplePayButtonStyle(rawValue: 3)
}

/// The Apple Pay button that a device gets.
///
/// ```swift
/// switch ApplePayButton(.checkout, on: .needsSetup) {
/// case .pay(let type): print("Show the button \(type.rawValue), which opens the sheet.")
/// case .setUp: print("Show the button that opens the wallet's set-up.")
/// case .hidden: print("Show no button.")
/// }
/// ```
public enum ApplePayButton: Hashable, Sendable {
    /// A button that opens the payment sheet.
    case pay(ApplePayButtonType)
    /// A button that opens the wallet, where the customer adds a card. It pays nothing.
    case setUp
    /// No button.
    case hidden

    /// Decides on the button of a device: to pay where it can pay, to set up where it lacks a card, and none otherwise.
    /// - Parameters:
    ///   - type: the words on a button that pays. With ``ApplePayButtonType/setUp``, which would promise something
    ///     else, it has the logo alone.
    ///   - canSetUp: `false` on a device that has no wallet to add a card to.
    public init(
        _ type: ApplePayButtonType = .plain, on availability: ApplePayAvailability, canSetUp: Bool = true
    ) {
        self =
            switch availability {
            case .available: .pay(type == .setUp ? .plain : type)
            case .needsSetup: canSetUp ? .setUp : .hidden
            case .unavailable: .hidden
            }
    }

    /// The words on the button; `nil` if there is none.
    public var type: ApplePayButtonType? {
        switch self {
        case .pay(let type): type
        case .setUp: .setUp
        case .hidden: nil
        }
    }
}
