import ArgumentParser
import TillApplePay
import TillCore
import TillCounter
import TillFeatureApplePay
import TillHTTP
import TillProvider

/// `till applepay doctor`: checks the setup of Apple Pay on the web.
struct ApplePayDoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks certificates, keys, domains and environment, and reports each finding.",
        discussion: """
            Asks Apple for one merchant session on each host, which moves no money. Exit code 0: payments can be \
            taken. 1: something is at fault.
            """)

    @Option(name: .long, help: "The settings' file. JSON.")
    var settings: String
    @Option(
        name: .long, help: "Ask here for the association files instead of each domain, such as http://127.0.0.1:8080.")
    var probe: String?
    @Flag(name: .long, help: "Ask for no merchant session, as on a machine without a network.")
    var withoutSession = false
    @OptionGroup var standIn: AppleStandInArguments
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The provider of the payments. Also TILL_PROVIDER, or the counter's settings file.", valueName: "name"))
    var provider: String?
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The counter's settings file, for its provider. Also TILL_CONFIG; by default till.json, if there is one "
                + "here.", valueName: "file"))
    var config: String?
    @Option(name: .long, help: "The time of the examination, such as 2026-11-21T09:30:00Z, instead of now.")
    var at: String?
    @Flag(name: .long, help: "Print one JSON object and nothing else.")
    var json = false

    func run() async throws {
        do {
            let settings = try ApplePaySettings.read(self.settings)
            let now = try at.map { text in
                guard let time = Timestamp(iso8601: text) else {
                    throw ValidationError("The time \(text) is not written as 2026-11-21T09:30:00Z.")
                }
                return time
            }
            let (sessions, standing) = (try self.sessions(), try self.standing())
            let transport = HTTPClientTransport()
            let findings = await ApplePayDoctor(
                settings: settings, transport: transport, probe: probe, sessions: sessions, provider: standing,
                now: now ?? SystemClock().now()
            ).examine()
            await transport.shutdown()
            try show(findings)
        } catch let error as any ExplainedError {
            throw Output.fail(error, json: json)
        }
    }

    /// Returns the gateway to ask for sessions.
    private func sessions() throws -> ApplePayDoctor.SessionCheck {
        guard standIn.isGiven else { return withoutSession ? .omitted : .apple }
        guard let port = standIn.port, port > 0, let root = standIn.root, !withoutSession else {
            throw CommandError(
                code: "stand_in_incomplete",
                what: "A stand-in for Apple needs --apple-pay-stand-in with its port and --apple-pay-root with its "
                    + "root certificate, and no --without-session. Nothing was examined.",
                next: "Give both, or leave out the stand-in.")
        }
        let file = try TrustedFile.read(root, "root certificate of Apple's stand-in", limit: InputFile.maximumBytes)
        return .standIn(try AppleStandIn(port: Int(port), root: file))
    }

    /// Returns the standing of the counter's provider; `nil` for a built-in one.
    private func standing() throws -> ApplePayDoctor.ProviderStanding? {
        var given: [String: String] = [:]
        given[Setting.provider.key] = provider
        guard let name = try Settings(of: ProviderModules.all, commandLine: given, file: config).text(.provider) else {
            return nil
        }
        guard let module = ProviderModules.all.first(where: { $0.name.rawValue == name }) else { return nil }
        return ApplePayDoctor.ProviderStanding(title: module.title, unverified: module.unverifiedHandovers)
    }

    private func show(_ findings: [ApplePayDoctor.Finding]) throws {
        let isUsable = !findings.contains { $0.verdict == .fault }
        if json {
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("ok", isUsable)
            writer.key("findings")
            writer.beginArray()
            for finding in findings {
                writer.beginObject()
                writer.field("verdict", finding.verdict.rawValue)
                writer.field("code", finding.code)
                writer.field("text", finding.text)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
            Output.line(writer.text)
        } else {
            for finding in findings {
                let mark =
                    switch finding.verdict {
                    case .ok: "ok   "
                    case .warning: "warn "
                    case .fault: "FAIL "
                    }
                Output.line(mark + finding.text)
            }
        }
        if !isUsable { throw ExitCode(1) }
    }
}

extension ApplePaySettings {
    /// Reads the settings file.
    static func read(_ path: String) throws -> ApplePaySettings {
        let bytes = try TrustedFile.read(path, "Apple Pay settings file", limit: InputFile.maximumBytes)
        let folder = path.contains("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) : "."
        let document: JSONValue
        do { document = try JSONValue(parsing: bytes) } catch {
            throw CommandError(
                code: "applepay_settings", what: "The settings \(path): \(error.description)",
                next: "Correct the settings' file.")
        }
        return try ApplePaySettings(document, folder: folder.isEmpty ? "/" : folder)
    }
}
