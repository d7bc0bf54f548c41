import ArgumentParser
import TillCheckout
import TillCore
import TillJournal
import TillServer

/// `till doctor`
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says what is configured and what is missing. Exit code 1 if the counter can not take payments.")
    @OptionGroup var common: CommonOptions
    @OptionGroup var provider: ProviderOptions

    func run() async throws {
        try await withCounter(common, provider) { counter in
            var findings: [(ok: Bool, text: String)] = []
            findings.append((true, "The journal \(counter.options.journal) opens and takes writes."))
            let due = try await counter.journal.due(at: counter.clock.now(), limit: 100)
            findings.append(
                (
                    due.isEmpty,
                    due.isEmpty
                        ? "Nothing is overdue."
                        : "\(due.count) payments wait for `till payments recover` or a running counter."
                ))
            findings.append((true, "The sandbox is ready; it moves no real money."))
            if counter.stripe != nil {
                findings.append((true, "Stripe is configured at \(counter.options.stripeURL)."))
                let hasWebhooks = !counter.options.stripeWebhookSecrets.isEmpty
                findings.append(
                    (
                        hasWebhooks,
                        hasWebhooks
                            ? "Stripe's webhooks are verified."
                            : "Stripe's webhooks are not set up: set TILL_STRIPE_WEBHOOK_SECRET."
                    ))
            } else {
                findings.append((true, "Stripe is not configured: set TILL_STRIPE_KEY to use it."))
            }
            if counter.checkout.providerNames.contains(provider.name) {
                findings.append((true, "Payments go to \(provider.name) unless a command says otherwise."))
            } else {
                findings.append((false, "The chosen provider \(provider.name) is not configured."))
            }
            let usable = counter.checkout.providerNames.contains(provider.name)
            if common.json {
                var writer = JSONWriter()
                writer.beginObject()
                writer.field("ok", usable)
                writer.key("findings")
                writer.beginArray()
                for finding in findings {
                    writer.beginObject()
                    writer.field("ok", finding.ok)
                    writer.field("text", finding.text)
                    writer.endObject()
                }
                writer.endArray()
                writer.endObject()
                Output.line(writer.text)
            } else {
                for finding in findings { Output.line("\(finding.ok ? "ok  " : "look") \(finding.text)") }
            }
            if !usable { throw ExitCode(1) }
        }
    }
}
