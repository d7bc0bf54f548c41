import HTTPTypes
import Hummingbird
package import TillCheckout
package import TillCore
package import TillCounter
package import TillJournal
package import TillProvider
package import TillWeb

/// `/v1/settings/providers`, `/v1/settings/backups` and `/v1/settings/health`: what `till doctor` finds, of a counter
/// that serves. Read only, and without secrets: what is to be done is done on the counter's machine.
package struct StandingRoutes: Sendable {
    private let readiness: Readiness
    private let journal: any CounterStore
    private let checkout: Checkout
    private let options: ServerOptions
    private let clock: any TillClock
    private let copier: (any JournalCopying)?
    private let modules: [any ProviderModule]
    private let notices: @Sendable () -> [SetupNotice]

    /// - Parameter notices: returns what staff must mend of the counter's features.
    package init(
        readiness: Readiness, journal: any CounterStore, checkout: Checkout, options: ServerOptions,
        clock: any TillClock, copier: (any JournalCopying)?, modules: [any ProviderModule],
        notices: @escaping @Sendable () -> [SetupNotice] = { [] }
    ) {
        self.readiness = readiness
        self.journal = journal
        self.checkout = checkout
        self.options = options
        self.clock = clock
        self.copier = copier
        self.modules = modules
        self.notices = notices
    }

    package func register(on router: CounterRouter) {
        func get(_ name: String, _ handler: @escaping CounterRouter.Handler) {
            router.get("/v1/settings/" + name, for: .admin, of: .counter, needs: .settings, use: handler)
        }
        get("providers") { _ in await providers() }
        get("backups") { _ in try await backups() }
        get("health") { try await health(of: $0.account) }
    }

    // MARK: Providers

    private func providers() async -> Response {
        var writer = JSONWriter(reserving: 2_048)
        writer.beginObject()
        writer.field("mode", options.mode.rawValue)
        writer.field("default", options.defaultProvider.rawValue)
        let isUsable =
            checkout.providerNames.contains(options.defaultProvider)
            || modules.contains { type(of: $0).name == options.defaultProvider }
        writer.field("takes_payments", isUsable)
        writer.key("providers")
        writer.beginArray()
        var known = options.knownProviders
        if known.isEmpty { for module in modules { known.append(type(of: module)) } }
        for provider in known { await write(provider, into: &writer) }
        writer.endArray()
        var findings: [ProviderFinding] = []
        if options.receipts.url != nil, options.returnURL == nil {
            findings.append(
                ProviderFinding(
                    "Customers cannot come back from their bank's page. `till doctor` says why.", isFine: false))
        }
        StandingRoutes.write(findings, into: &writer)
        writer.endObject()
        return .json(writer.bytes)
    }

    private func write(_ provider: any ProviderModule.Type, into writer: inout JSONWriter) async {
        let module = modules.first { type(of: $0).name == provider.name }
        var findings =
            module?.findings ?? [ProviderFinding("\(provider.title) is not configured. \(provider.setUp)")]
        if let module { findings += await module.warnings().map { ProviderFinding($0, isFine: false) } }
        writer.beginObject()
        writer.field("name", provider.name.rawValue)
        writer.field("title", provider.title)
        writer.field("configured", module != nil)
        writer.field("default", provider.name == options.defaultProvider)
        StandingRoutes.write(findings, into: &writer)
        writer.endObject()
    }

    // MARK: Backups

    private func backups() async throws -> Response {
        let last = try await LastBackup(in: journal)
        let sweep = try await RestoreSweep.due(in: journal)
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("copy")
        if let copier {
            writer.beginObject()
            writer.field("folder", copier.folder)
            writer.field("behind_seconds", try copier.lag(at: clock.now()).milliseconds / 1_000)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.key("last_backup")
        if let last { last.write(into: &writer) } else { writer.null() }
        writer.key("restore")
        if let sweep {
            writer.beginObject()
            writer.field("sentence", sweep.description)
            writer.field("next", sweep.next)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.endObject()
        return .json(writer.bytes)
    }

    // MARK: Health

    private func health(of account: AccountID) async throws -> Response {
        var findings: [ProviderFinding] = []
        var isReady = true
        do {
            try await readiness.check()
            findings.append(ProviderFinding("The journal takes writes, and open payments are followed up."))
        } catch let problem as Problem {
            isReady = false
            findings.append(ProviderFinding("\(problem.detail) \(problem.next)", isFine: false))
        }
        findings += try await waiting()
        findings.append(
            clock.standing.doubt.map { ProviderFinding("\($0.sentence) \(ClockDoubt.next)", isFine: false) }
                ?? ProviderFinding("The machine's clock looks right."))
        findings += certificate
        // The setup is the counter's own: another account that may use its hardware has no part in it.
        if account == options.account {
            findings += notices().map { ProviderFinding("\($0)", isFine: false) }
        }
        var writer = JSONWriter(reserving: 1_024)
        writer.beginObject()
        writer.field("ready", isReady)
        StandingRoutes.write(findings, into: &writer)
        writer.endObject()
        return .json(writer.bytes)
    }

    /// Returns the findings about what waits: for recovery, and for a person.
    private func waiting() async throws -> [ProviderFinding] {
        let (samples, waiting) = try await readiness.samples()
        var findings = [
            samples.due == 0
                ? ProviderFinding("Nothing is overdue.")
                : ProviderFinding("Overdue payments, which the counter follows up: \(samples.due).", isFine: false)
        ]
        let people = waiting.payments + waiting.incidents
        findings.append(
            people == 0
                ? ProviderFinding("Nothing waits for a person.")
                : ProviderFinding("Entries that wait for a person: \(people). They are under Attention.", isFine: false)
        )
        let others = checkout.skippedPayments.count
        if others > 0 {
            findings.append(
                ProviderFinding(
                    "Open payments of another account of their provider, which are left alone: \(others). "
                        + "`till doctor` names them.", isFine: false))
        }
        return findings
    }

    /// The time before a certificate's end from which it is to be renewed.
    private static let renewal = Span.days(14)

    private var certificate: [ProviderFinding] {
        guard let tls = options.tls else { return [] }
        if let problem = tls.problem { return [ProviderFinding("\(problem.what) \(problem.next)", isFine: false)] }
        let left = tls.expires.since(clock.now())
        if left.milliseconds <= 0 {
            return [ProviderFinding("The certificate has ended on \(tls.expires). Renew it.", isFine: false)]
        }
        return [
            left < StandingRoutes.renewal
                ? ProviderFinding("The certificate ends on \(tls.expires). Renew it.", isFine: false)
                : ProviderFinding("The certificate is valid until \(tls.expires).")
        ]
    }

    // MARK: Parts

    /// Writes what needs somebody first.
    private static func write(_ findings: [ProviderFinding], into writer: inout JSONWriter) {
        writer.key("findings")
        writer.beginArray()
        for finding in findings.filter({ !$0.isFine }) + findings.filter(\.isFine) {
            writer.beginObject()
            writer.field("ok", finding.isFine)
            writer.field("text", finding.text)
            writer.endObject()
        }
        writer.endArray()
    }
}
