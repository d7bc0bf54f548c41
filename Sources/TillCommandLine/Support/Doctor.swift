import ArgumentParser
import Foundation
import TillCheckout
import TillCore
import TillCounter
import TillJournal
import TillPostgres
import TillProvider
import TillWeb

/// `till doctor`: checks the whole setup and reports faults.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Shows what is set, where each setting comes from, and what is missing.",
        discussion: "Exit code 1 if the counter cannot take payments as it is set up.")
    @OptionGroup var common: CommonOptions
    @OptionGroup var provider: ProviderOptions

    func run() async throws {
        let settings: Settings
        do throws(SettingsError) {
            settings = try provider.settings(common)
        } catch { throw Output.fail(error, json: common.json) }
        try await withCounter(common, provider) { counter in
            let isUsable = counter.takesPayments(counter.options.provider)
            let languages = DoctorLanguages()
            let findings =
                try await findings(counter, settings)
                + languages.findings.map { ProviderFinding($0.text, isFine: $0.isFine) }
            common.json ? printJSON(settings, findings, languages, isUsable) : tell(settings, findings)
            if !isUsable { throw ExitCode(1) }
        }
    }

    private func findings(_ counter: Counter, _ settings: Settings) async throws -> [ProviderFinding] {
        let name = counter.options.provider
        try await counter.journal.checkWriting()
        var findings = [ProviderFinding("The journal \(counter.options.journal) opens and takes writes.")]
        if let journal = counter.journal as? PostgresJournal {
            findings += try await journal.standing().findings.map { ProviderFinding($0.text, isFine: $0.isFine) }
        }
        let due = try await counter.journal.due(at: counter.clock.now(), limit: 100)
        findings.append(
            due.isEmpty
                ? ProviderFinding("Nothing is overdue.")
                : ProviderFinding(
                    "\(due.count) payments wait for `till payments recover` or a running counter.", isFine: false))
        findings += try await otherAccounts(counter) + incidents(counter)
        // After the providers were queried: their responses carry the time.
        findings.append(
            counter.clock.standing.doubt.map { ProviderFinding("\($0.sentence) \(ClockDoubt.next)", isFine: false) }
                ?? ProviderFinding("The machine's clock looks right."))
        findings.append(
            counter.mode == .live
                ? ProviderFinding("The counter is in live mode: real money moves, and there is no sandbox.")
                : ProviderFinding("The counter is in TEST mode: no real money moves. The sandbox is ready."))
        // In test mode nothing is owed to a card scheme yet.
        findings.append(
            counter.options.receipts.gap.map { ProviderFinding($0, isFine: counter.mode != .live) }
                ?? ProviderFinding("Card receipts have the shop's name and address."))
        findings += counter.providerFindings
        for module in counter.modules {
            findings += await module.warnings().map { ProviderFinding($0, isFine: false) }
        }
        findings.append(
            counter.takesPayments(name)
                ? ProviderFinding("Payments go to \(name) by default.")
                : ProviderFinding("The chosen provider \(name) is not configured.", isFine: false))
        if let files = try TLSFiles(settings) {
            let hosts = [settings.text(.receiptURL).flatMap { URL(string: $0)?.host() }].compactMap { $0 }
            findings += await TLSIdentity.findings(files, for: hosts, at: counter.clock.now())
        }
        return findings + Doctor.secretFindings(settings)
    }

    /// The maximum number of open payments of other accounts, and of incidents, in the findings.
    private static let mostNamed = 5

    /// Returns findings about open payments of other accounts, which this counter does not process.
    private func otherAccounts(_ counter: Counter) async throws -> [ProviderFinding] {
        let open = try await counter.journal.due(
            at: Timestamp(milliseconds: .max), limit: JournalLimits.maximumPage)
        var found: [OtherAccount] = []
        for id in open {
            guard let payment = try await counter.checkout.readable(id),
                let other = await counter.checkout.otherAccount(of: payment)
            else { continue }
            found.append(other)
        }
        guard found.count > Doctor.mostNamed else {
            return found.map { ProviderFinding("\($0.sentence) \($0.next)", isFine: false) }
        }
        let rest = found.count - Doctor.mostNamed
        return found.prefix(Doctor.mostNamed).map { ProviderFinding("\($0.sentence) \($0.next)", isFine: false) }
            + [ProviderFinding("\(rest) other payments are of other accounts, too.", isFine: false)]
    }

    /// Returns findings about open incidents: reports about unknown payments, and payments that recovery cannot
    /// process.
    private func incidents(_ counter: Counter) async throws -> [ProviderFinding] {
        let incidents = try await Records<Incident>(counter.journal).list(
            matching: Incident.open, limit: Doctor.mostNamed + 1)
        let named = incidents.prefix(Doctor.mostNamed).map { ProviderFinding("\($0)", isFine: false) }
        guard incidents.count > Doctor.mostNamed else { return named }
        return named + [ProviderFinding("There are more incidents: till journal incidents.", isFine: false)]
    }

    /// Returns findings about secrets exposed to other users.
    private static func secretFindings(_ settings: Settings) -> [ProviderFinding] {
        let readable = settings.entries.compactMap { entry -> ProviderFinding? in
            guard case .secretFile(let path) = entry.origin else { return nil }
            let rights = (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? NSNumber
            guard let rights, rights.intValue & 0o077 != 0 else { return nil }
            return ProviderFinding(
                "Other users of this machine can read the secret in \(path): chmod 600 \(path).", isFine: false)
        }
        return SecretsOnCommandLine.sentences(settings).map { ProviderFinding($0, isFine: false) } + readable
    }

    private func tell(_ settings: Settings, _ findings: [ProviderFinding]) {
        Output.line("Settings" + (settings.file.map { " (file: \($0))" } ?? " (no settings file)"))
        let width = settings.entries.map { $0.setting.key.count }.max() ?? 0
        for entry in settings.entries {
            let key = entry.setting.key + String(repeating: " ", count: width - entry.setting.key.count)
            let place = entry.shown == nil ? "set \(entry.setting.variable)" : entry.place
            Output.line("  \(key)  \(entry.shown ?? "–")  (\(place))")
        }
        Output.line("")
        Output.line("Findings")
        for finding in findings {
            Output.line(Output.wrapped("  \(finding.isFine ? "ok  " : "warn")  \(finding.text)", to: 80))
        }
    }

    private func printJSON(
        _ settings: Settings, _ findings: [ProviderFinding], _ languages: DoctorLanguages, _ isUsable: Bool
    ) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("ok", isUsable)
        writer.field("settings_file", settings.file)
        writer.key("settings")
        writer.beginArray()
        for entry in settings.entries {
            writer.beginObject()
            writer.field("key", entry.setting.key)
            writer.field("value", entry.shown)
            writer.field("from", entry.place)
            writer.field("variable", entry.setting.variable)
            writer.field("option", entry.setting.option)
            writer.field("about", entry.setting.about)
            writer.endObject()
        }
        writer.endArray()
        writer.key("findings")
        writer.beginArray()
        for finding in findings {
            writer.beginObject()
            writer.field("ok", finding.isFine)
            writer.field("text", finding.text)
            writer.endObject()
        }
        writer.endArray()
        languages.write(to: &writer)
        writer.endObject()
        Output.line(writer.text)
    }
}
