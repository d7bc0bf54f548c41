public import TillCore

/// How the readers of an account or a location behave.
public struct TerminalConfiguration: Hashable, Sendable {
    /// Stripe's name of the configuration, `tmc_…`.
    public let id: String
    public let name: String?
    /// The one that readers follow whose location has no other.
    public let isAccountDefault: Bool
    /// The hours between which readers restart and install their software, 0 to 23.
    public let rebootWindow: TerminalRebootWindow?
    /// Readers may take payments while they have no network.
    public let takesOffline: Bool?
    /// Tips by currency code in small letters.
    public let tipping: [String: TerminalTipping]

    init?(_ json: JSONValue) {
        guard let id = TerminalText.identifier(json["id"]) else { return nil }
        self.id = id
        name = json["name"]?.stringValue.map(TerminalText.line)
        isAccountDefault = json["is_account_default"]?.boolValue ?? false
        let window = json["reboot_window"]
        if let start = window?["start_hour"]?.int64Value, let end = window?["end_hour"]?.int64Value {
            rebootWindow = TerminalRebootWindow(startHour: start, endHour: end)
        } else {
            rebootWindow = nil
        }
        takesOffline = json["offline"]?["enabled"]?.boolValue
        var tipping: [String: TerminalTipping] = [:]
        for member in json["tipping"]?.objectValue ?? [] where member.value.objectValue != nil {
            tipping[member.key] = TerminalTipping(member.value)
        }
        self.tipping = tipping
    }
}

/// The hours between which readers restart, by their own clock.
public struct TerminalRebootWindow: Hashable, Sendable {
    /// The first hour of the window, 0 to 23, in the reader's time zone.
    public var startHour: Int64
    /// The hour at which the window ends, 0 to 23.
    public var endHour: Int64

    public init(startHour: Int64, endHour: Int64) {
        self.startHour = startHour
        self.endHour = endHour
    }
}

/// What a reader offers as a tip, in one currency.
public struct TerminalTipping: Hashable, Sendable {
    /// In the wire's units, up to three.
    public var fixedAmounts: [Int64]
    /// Whole percent, up to three.
    public var percentages: [Int64]
    /// Below this amount the fixed ones are offered, from it on the percentages.
    public var threshold: Int64?

    public init(fixedAmounts: [Int64] = [], percentages: [Int64] = [], threshold: Int64? = nil) {
        self.fixedAmounts = fixedAmounts
        self.percentages = percentages
        self.threshold = threshold
    }

    init(_ json: JSONValue) {
        fixedAmounts = (json["fixed_amounts"]?.arrayValue ?? []).compactMap(\.int64Value)
        percentages = (json["percentages"]?.arrayValue ?? []).compactMap(\.int64Value)
        threshold = json["smart_tip_threshold"]?.int64Value
    }
}

/// What a configuration is to be, or what of it is to change.
public struct TerminalConfigurationDraft: Hashable, Sendable {
    public var name: String?
    /// Tips by currency code in small letters.
    public var tipping: [String: TerminalTipping]
    /// Readers may take payments while they have no network.
    public var takesOffline: Bool?
    public var rebootWindow: TerminalRebootWindow?

    /// Makes one; what is not given is not sent.
    public init(
        name: String? = nil, tipping: [String: TerminalTipping] = [:], takesOffline: Bool? = nil,
        rebootWindow: TerminalRebootWindow? = nil
    ) {
        self.name = name
        self.tipping = tipping
        self.takesOffline = takesOffline
        self.rebootWindow = rebootWindow
    }

    var fields: [(String, String)] {
        var form = TerminalForm()
        form.put("name", name)
        for (currency, tips) in tipping.sorted(by: { $0.key < $1.key }) {
            form.put("tipping[\(currency)][fixed_amounts]", tips.fixedAmounts)
            form.put("tipping[\(currency)][percentages]", tips.percentages)
            form.put("tipping[\(currency)][smart_tip_threshold]", tips.threshold)
        }
        form.put("offline[enabled]", takesOffline)
        form.put("reboot_window[start_hour]", rebootWindow?.startHour)
        form.put("reboot_window[end_hour]", rebootWindow?.endHour)
        return form.fields
    }
}

/// Lets Stripe's SDK on a phone or tablet connect to readers. Short-lived: fetch a new one whenever it asks.
public struct TerminalConnectionToken: Sendable {
    /// For the SDK only.
    public let secret: Secret<String>
    /// The only place whose smart readers it opens, if it is bound to one.
    public let location: String?
}
