/// The model of a reader. Open: an unknown model keeps its raw value and is treated as a smart reader that takes
/// intents from the server only.
///
/// The raw values are the vendor's: those of Stripe's `device_type`, and the SDK's names for phones.
public struct CardReaderType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// BBPOS Chipper 2X BT: handheld, paired over Bluetooth.
    public static let chipper2X = CardReaderType(rawValue: "bbpos_chipper2x")
    /// Stripe Reader M2: handheld, paired over Bluetooth.
    public static let stripeM2 = CardReaderType(rawValue: "stripe_m2")
    /// BBPOS WisePad 3: handheld, with a PIN pad.
    public static let wisePad3 = CardReaderType(rawValue: "bbpos_wisepad3")
    /// BBPOS WisePOS E: a smart reader.
    public static let wisePosE = CardReaderType(rawValue: "bbpos_wisepos_e")
    /// Stripe Reader S700: a smart reader.
    public static let stripeS700 = CardReaderType(rawValue: "stripe_s700")
    /// Stripe Reader S710: a smart reader with a mobile network.
    public static let stripeS710 = CardReaderType(rawValue: "stripe_s710")
    public static let stripeT600 = CardReaderType(rawValue: "stripe_t600")
    /// Verifone P400: a countertop reader; intents come from the server only.
    public static let verifoneP400 = CardReaderType(rawValue: "verifone_P400")
    public static let verifoneM425 = CardReaderType(rawValue: "verifone_m425")
    public static let verifoneP630 = CardReaderType(rawValue: "verifone_p630")
    /// Verifone UX700: for unattended sales, such as at a kiosk.
    public static let verifoneUX700 = CardReaderType(rawValue: "verifone_ux700")
    /// Verifone V660p, with a printer.
    public static let verifoneV660p = CardReaderType(rawValue: "verifone_v660p")
    /// The phone itself: Tap to Pay.
    public static let tapToPay = CardReaderType(rawValue: "mobile_phone_reader")
    /// No device at all: Till's own simulation, which returns sealed cards.
    public static let simulated = CardReaderType(rawValue: "simulated")
    /// No device at all: Till's own simulation of a handheld reader, whose driver holds intents.
    public static let simulatedMobile = CardReaderType(rawValue: "simulated_mobile")
    /// Stripe's simulated WisePOS E.
    public static let simulatedWisePosE = CardReaderType(rawValue: "simulated_wisepos_e")
    /// A reader simulated by Stripe's API: S700.
    public static let simulatedS700 = CardReaderType(rawValue: "simulated_stripe_s700")

    /// A reader simulated by Stripe's API: S710.
    public static let simulatedS710 = CardReaderType(rawValue: "simulated_stripe_s710")
    /// A reader simulated by Stripe's API: T600.
    public static let simulatedT600 = CardReaderType(rawValue: "simulated_stripe_t600")
    /// A reader simulated by Stripe's API: M425.
    public static let simulatedM425 = CardReaderType(rawValue: "simulated_verifone_m425")
    /// A reader simulated by Stripe's API: P630.
    public static let simulatedP630 = CardReaderType(rawValue: "simulated_verifone_p630")
    /// A reader simulated by Stripe's API: UX700.
    public static let simulatedUX700 = CardReaderType(rawValue: "simulated_verifone_ux700")
    /// A reader simulated by Stripe's API: V660p.
    public static let simulatedV660p = CardReaderType(rawValue: "simulated_verifone_v660p")

    /// Every known model, in the order of the documentation.
    public static let known: [CardReaderType] = [
        .chipper2X, .stripeM2, .wisePad3, .wisePosE, .stripeS700, .stripeS710, .stripeT600, .verifoneP400,
        .verifoneM425, .verifoneP630, .verifoneUX700, .verifoneV660p, .tapToPay, .simulated, .simulatedMobile,
        .simulatedWisePosE, .simulatedS700, .simulatedS710, .simulatedT600, .simulatedM425, .simulatedP630,
        .simulatedUX700, .simulatedV660p,
    ]

    /// `true` for simulated readers, which take no physical card.
    public var isSimulated: Bool { rawValue.hasPrefix("simulated") }
    /// The model's capabilities.
    public var capabilities: CardReaderCapabilities { CardReaderCapabilities.of(self) }
}

/// The form factor of a reader.
public enum CardReaderForm: String, Hashable, Sendable, CaseIterable {
    /// Handheld and paired with a phone.
    case mobile
    /// A wired countertop reader.
    case countertop
    /// Runs software of its own and is reached over the network.
    case smart
    /// The phone is the reader.
    case tapToPay = "tap_to_pay"
    /// A simulation, without any device.
    case simulated
}

/// The input methods of a reader.
public struct CardReaderInput: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    /// Takes the bits as they are.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let swipe = CardReaderInput(rawValue: 1)
    public static let insert = CardReaderInput(rawValue: 2)
    /// By the antenna of the reader, or that of a phone.
    public static let tap = CardReaderInput(rawValue: 4)

    /// The methods by name.
    private static let named: [(name: String, input: CardReaderInput)] = [
        ("insert", .insert), ("swipe", .swipe), ("tap", .tap),
    ]

    /// Reads names; ignores unknown ones.
    public init(names: [String]) {
        self = CardReaderInput(CardReaderInput.named.filter { names.contains($0.name) }.map(\.input))
    }

    /// The names of the methods: `insert`, `swipe`, `tap`.
    public var names: [String] { CardReaderInput.named.filter { contains($0.input) }.map(\.name) }

    /// The prompt for the customer: `"Insert or tap the card."`
    public var sentence: String {
        var words = names
        guard let last = words.popLast() else { return "Wait." }
        let text = words.isEmpty ? last : words.joined(separator: ", ") + " or " + last
        return text.prefix(1).uppercased() + text.dropFirst() + " the card."
    }
}

/// The place where a payment's intent may be created.
public enum CardReaderIntentOrigin: String, Hashable, Sendable, CaseIterable {
    /// On the device or on the server.
    case deviceOrServer = "device_or_server"
    /// On the server only.
    case serverOnly = "server_only"
    /// There is no intent: the reader returns the card's sealed data.
    case sealedCard = "sealed_card"
}

/// The capabilities of a model, as data.
public struct CardReaderCapabilities: Hashable, Sendable {
    /// The form factor.
    public var form: CardReaderForm
    /// The input methods.
    public var inputs: CardReaderInput
    /// The place where intents may be created.
    public var intents: CardReaderIntentOrigin
    /// `true` if it has a battery that must be charged for a software update.
    public var hasBattery: Bool
    /// `true` if this service installs its software. Smart readers update themselves.
    public var installsUpdates: Bool
    /// `true` if it can show a cart.
    public var showsCart: Bool
    /// `true` if it prompts for tips on its own screen.
    public var asksForTips: Bool
    /// `true` if a card can remain in it.
    public var holdsCard: Bool { inputs.contains(.insert) }

    public init(
        form: CardReaderForm, inputs: CardReaderInput, intents: CardReaderIntentOrigin, hasBattery: Bool,
        installsUpdates: Bool, showsCart: Bool, asksForTips: Bool
    ) {
        self.form = form
        self.inputs = inputs
        self.intents = intents
        self.hasBattery = hasBattery
        self.installsUpdates = installsUpdates
        self.showsCart = showsCart
        self.asksForTips = asksForTips
    }

    /// Returns the capabilities of a model.
    static func of(_ type: CardReaderType) -> CardReaderCapabilities {
        switch type {
        case .chipper2X, .stripeM2: mobile([.insert, .tap, .swipe], tips: false)
        case .wisePad3: mobile([.insert, .tap, .swipe], tips: true)
        case .tapToPay:
            CardReaderCapabilities(
                form: .tapToPay, inputs: .tap, intents: .deviceOrServer, hasBattery: false, installsUpdates: false,
                showsCart: false, asksForTips: false)
        case .verifoneP400:
            CardReaderCapabilities(
                form: .countertop, inputs: [.insert, .tap, .swipe], intents: .serverOnly, hasBattery: false,
                installsUpdates: false, showsCart: true, asksForTips: true)
        case .simulated:
            CardReaderCapabilities(
                form: .simulated, inputs: [.insert, .tap], intents: .sealedCard, hasBattery: true,
                installsUpdates: true, showsCart: true, asksForTips: false)
        case .simulatedMobile:
            CardReaderCapabilities(
                form: .simulated, inputs: [.insert, .tap, .swipe], intents: .deviceOrServer, hasBattery: true,
                installsUpdates: true, showsCart: true, asksForTips: false)
        default:
            CardReaderCapabilities(
                form: .smart, inputs: [.insert, .tap, .swipe], intents: .serverOnly, hasBattery: false,
                installsUpdates: false, showsCart: true, asksForTips: true)
        }
    }

    private static func mobile(_ inputs: CardReaderInput, tips: Bool) -> CardReaderCapabilities {
        CardReaderCapabilities(
            form: .mobile, inputs: inputs, intents: .deviceOrServer, hasBattery: true, installsUpdates: true,
            showsCart: false, asksForTips: tips)
    }
}
