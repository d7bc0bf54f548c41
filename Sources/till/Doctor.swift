import ArgumentParser
import Foundation
import TillCheckout
import TillCore
import TillJournal
import TillServer

/// `till doctor`
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Says what is set, where each setting comes from, and what is missing.",
        discussion: "Exit code 1 if the counter cannot take payments as it is set up.")
    @OptionGroup var common: CommonOptions
    @OptionGroup var provider: ProviderOptions

    /// One thing that was looked at.
    private struct Finding {
        var isFine: Bool
        var text: String
    }

    func run() async throws {
        let settings: Settings
        do throws(SettingsError) {
            settings = try common.settings(provider.given)
        } catch { throw Output.fail(error, json: common.json) }
        try await withCounter(common, provider) { counter in
            let isUsable = counter.checkout.providerNames.contains(counter.options.provider)
            var findings = try await findings(counter, settings)
            let languages = DoctorLanguages()
            findings += languages.findings.map { Finding(isFine: $0.isFine, text: $0.text) }
            common.json ? printJSON(settings, findings, languages, isUsable) : tell(settings, findings)
            if !isUsable { throw ExitCode(1) }
        }
    }

    private func findings(_ counter: Counter, _ settings: Settings) async throws -> [Finding] {
        let name = counter.options.provider
        var findings: [Finding] = []
        try await counter.journal.checkWriting()
        findings.append(Finding(isFine: true, text: "The journal \(counter.options.journal) opens and takes writes."))
        let due = try await counter.journal.due(at: counter.clock.now(), limit: 100)
        findings.append(
            due.isEmpty
                ? Finding(isFine: true, text: "Nothing is overdue.")
                : Finding(
                    isFine: false,
                    text: "\(due.count) payments wait for `till payments recover` or a running counter."))
        findings.append(Finding(isFine: true, text: "The sandbox is ready; it moves no real money."))
        if counter.stripe != nil {
            findings.append(Finding(isFine: true, text: "Stripe is configured at \(counter.options.stripeURL)."))
            findings.append(
                counter.options.stripeWebhookSecrets.isEmpty
                    ? Finding(
                        isFine: false, text: "Stripe's webhooks are not set up: set TILL_STRIPE_WEBHOOK_SECRET.")
                    : Finding(isFine: true, text: "Stripe's webhooks are verified."))
        } else {
            findings.append(Finding(isFine: true, text: "Stripe is not configured: set TILL_STRIPE_KEY to use it."))
        }
        findings.append(
            counter.checkout.providerNames.contains(name)
                ? Finding(isFine: true, text: "Payments go to \(name) unless a command says otherwise.")
                : Finding(isFine: false, text: "The chosen provider \(name) is not configured."))
        return findings + Doctor.secretFindings(settings)
    }

    /// Secrets that others can see.
    private static func secretFindings(_ settings: Settings) -> [Finding] {
        settings.entries.compactMap { entry in
            switch entry.origin {
            case .commandLine where entry.setting.kind == .secret:
                return Finding(
                    isFine: false,
                    text: "\(entry.place) stands on the command line, where other users of this machine can see it: "
                        + "set \(entry.setting.variable).")
            case .secretFile(let path):
                let rights =
                    (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? NSNumber
                guard let rights, rights.intValue & 0o077 != 0 else { return nil }
                return Finding(
                    isFine: false,
                    text: "Other users of this machine can read the secret in \(path): chmod 600 \(path).")
            default: return nil
            }
        }
    }

    private func tell(_ settings: Settings, _ findings: [Finding]) {
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
            Output.line(Output.wrapped("  \(finding.isFine ? "ok  " : "look")  \(finding.text)", to: 80))
        }
    }

    private func printJSON(
        _ settings: Settings, _ findings: [Finding], _ languages: DoctorLanguages, _ isUsable: Bool
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
