import Foundation
package import TillCore
package import TillJournal
import TillProvider
package import TillSandbox
public import TillOffline

/// The options for offline payments.
public struct OfflineOptions: Sendable {
    /// The name of the device key's file in ``folder``.
    public static let keyName = "device.key"

    /// The folder of the log.
    public var folder: String
    /// The display name of this device.
    public var device = "till"
    /// The policy for storing cards without authorization.
    public var policy = OfflinePolicy()
    /// The number of stored payments that the sandbox accepts in a second.
    public var sandboxWindow = 1_000_000
    /// `true` if the sandbox is reachable.
    public var sandboxIsReachable = true

    public init(journal: String) { folder = journal + "-offline" }

    /// The location of the log, unique among all machines on the journal.
    package var place: String {
        ProcessInfo.processInfo.hostName + ":" + URL(fileURLWithPath: folder).standardizedFileURL.path
    }

    /// Creates options from the settings, with defaults for limits not set.
    /// - Throws: ``SettingsError/wrongValue(place:reason:)`` for malformed limits.
    public init(_ settings: Settings, journal: String) throws(SettingsError) {
        self.init(journal: journal)
        if let text = settings.text(.offlineFolder) { folder = text }
        if let text = settings.text(.offlineDevice) { device = text }
        policy.isAllowed = settings.text(.offlineMode) != "off"
        if let text = settings.text(.offlinePerPayment) { policy.perPayment = try limits(text, .offlinePerPayment) }
        if let text = settings.text(.offlineTotal) { policy.total = try limits(text, .offlineTotal) }
        if let number = settings.number(.offlineCount) { policy.count = number }
        if let number = settings.number(.offlinePerCard) { policy.perCard = number }
        if let span = settings.span(.offlinePerCardWindow) { policy.velocityWindow = span }
        if let span = settings.span(.offlineContactAge) { policy.contactAge = span }
        if let span = settings.span(.offlineItemAge) { policy.itemAge = span }
        policy.country = settings.text(.offlineCountry)
        if let number = settings.number(.sandboxWindow) { sandboxWindow = number }
        sandboxIsReachable = settings.text(.sandboxNetwork) != "off"
    }

    private func limits(_ text: String, _ setting: Setting) throws(SettingsError) -> [String: Int64] {
        var limits: [String: Int64] = [:]
        for part in text.split(separator: ",") {
            let words = part.split(separator: " ")
            guard words.count == 2, let currency = Currency(ifValid: String(words[0])),
                let money = Money(ifValid: String(words[1]), currency: currency), !money.isNegative
            else {
                throw .wrongValue(
                    place: "“\(setting.key)”",
                    reason: "is “\(text.prefix(40))” and must be amounts such as EUR 50.00, USD 50.00")
            }
            limits[currency.code] = money.minorUnits
        }
        return limits
    }
}

extension OfflineService {
    /// Creates a counter's service. It forwards to the sandbox, the only stand-in here that accepts stored cards.
    package static func make(
        _ options: CounterOptions, sandbox: SandboxProvider, journal: any Journal & RecordStore, clock: any TillClock
    ) -> OfflineService {
        if !options.offline.sandboxIsReachable {
            for operation in SandboxOperation.allCases { sandbox.faults.keepFailing(operation, with: .notSent) }
        }
        let isReachable = options.offline.sandboxIsReachable
        var forwarder = SandboxForwarder(
            ledger: sandbox.ledger, offline: SandboxOfflineLedger(path: options.sandboxLedger + "-offline"),
            clock: clock, latency: options.sandboxLatency, fault: { _ in isReachable ? nil : .notSent })
        forwarder.mostInWindow = options.offline.sandboxWindow
        forwarder.isReachable = isReachable
        return OfflineService(options.offline, journal: journal, online: sandbox, forwarder: forwarder, clock: clock)
    }
}
