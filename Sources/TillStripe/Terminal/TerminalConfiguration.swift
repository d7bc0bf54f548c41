public import TillCore

/// The settings of an account's or a location's readers.
public struct TerminalConfiguration: Hashable, Sendable {
    /// Stripe's id of the configuration, `tmc_…`.
    public let id: String
    public let name: String?
    /// `true` for the account's default, which applies to readers at locations without their own configuration.
    public let isAccountDefault: Bool
    /// The hours between which readers restart and install their software, 0 to 23.
    public let rebootWindow: TerminalRebootWindow?
    /// `true` if readers may take payments while offline.
    public let takesOffline: Bool?
    /// Tips by currency code in lower case.
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

/// The hours between which readers restart, in local time.
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

/// The tips that a reader offers in one currency.
public struct TerminalTipping: Hashable, Sendable {
    /// Fixed amounts in wire units, up to three.
    public var fixedAmounts: [Int64]
    /// Whole percentages, up to three.
    public var percentages: [Int64]
    /// The amount from which percentages are offered instead of fixed amounts.
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

/// The fields of a new configuration, or changes to an existing one.
public struct TerminalConfigurationDraft: Hashable, Sendable {
    public var name: String?
    /// Tips by currency code in lower case.
    public var tipping: [String: TerminalTipping]
    /// `true` if readers may take payments while offline.
    public var takesOffline: Bool?
    public var rebootWindow: TerminalRebootWindow?

    /// Creates a draft; absent values are not sent.
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

/// A connection token for Stripe's SDK on a phone or tablet. Short-lived: fetch a new one whenever the SDK requests it.
public struct TerminalConnectionToken: Sendable {
    /// For the SDK only.
    public let secret: Secret<String>
    /// The location to which the token is restricted, for smart readers; `nil` if it is not.
    public let location: String?
}
