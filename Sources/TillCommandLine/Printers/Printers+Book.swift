import ArgumentParser
import TillCore
import TillCounter
import TillJournal
import TillPrinting

extension Printers {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Gives a printer a name.",
            discussion: """
                Printers with TLS (ipps) make their own certificates. --trust keeps the one that the printer shows \
                now, \
                or, if it is off, the first one that it will show; --pin takes one that you read at the printer. After \
                that no other is taken. The password is read from its file whenever it is needed, and kept nowhere.
                """)
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The name.") var name: String
        @Argument(help: "ipp://…, ipps://…, socket://HOST:9100 or /dev/usb/lp0.") var address: String
        @Option(name: .long, help: "What an ESC/POS printer can do: 80, 58, tm-t88v, plain.") var profile = "80"
        @Flag(name: .long, help: "Trust the first certificate that an ipps printer shows, and no other later.")
        var trust = false
        @Option(name: .long, help: ArgumentHelp("Trust the certificate with this SHA-256 only.", valueName: "hex"))
        var pin: String?
        @Option(name: .long, help: "Who prints, where the printer asks for a name and a password.") var user: String?
        @Option(name: .long, help: ArgumentHelp("The file with the password.", valueName: "file"))
        var passwordFile: String?

        func run() async throws {
            try await withCounter(common, provider) { counter in
                var new = NewPrinter(name: name, address: address)
                new.profile = profile
                (new.trustsFirst, new.pin) = (trust, pin)
                (new.user, new.passwordFile) = (user, passwordFile)
                let printer = try await PrinterRegistry(counter.journal).add(new, replaces: true)
                if printer.trustsFirst { Output.note(Add.certificate(of: printer)) }
                Output.line(
                    common.json ? Printers.list([printer]).text : "\(printer.name) is \(printer.address).")
            }
        }

        private static func certificate(of printer: KnownPrinter) -> String {
            guard let pin = printer.certificate.flatMap({ PrinterPin(kept: $0) }) else {
                return "The printer shows no certificate now; the first one that it shows will be kept."
            }
            return "Its certificate has the SHA-256 \(pin.fingerprint). Compare it with the printer's own."
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "remove", abstract: "Forgets a printer's name.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The name.") var name: String

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let was = try await PrinterRegistry(counter.journal).forget(name)
                Output.line(common.json ? "{\"removed\":\(was)}" : was ? "\(name) is forgotten." : "There was none.")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists printers with names.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                let known = try await PrinterRegistry(counter.journal).all()
                if common.json { return Output.line(Printers.list(known).text) }
                guard !known.isEmpty else { return Output.line("No printers. Add one: till printers add NAME ADDRESS") }
                Output.line(Printers.table(known.map { [$0.name, Printers.kind(of: $0), $0.address] }))
            }
        }
    }

    private static func kind(of printer: KnownPrinter) -> String {
        guard printer.address.hasPrefix("ipp") else { return "ESC/POS \(printer.profile)" }
        return printer.certificate != nil ? "IPP, pinned" : printer.trustsFirst ? "IPP, first" : "IPP"
    }

    private static func list(_ printers: [KnownPrinter]) -> JSONValue {
        let all = printers.map { printer -> JSONValue in
            let pin = printer.certificate.flatMap { PrinterPin(kept: $0) }
            return .object([
                JSONMember(key: "name", value: .string(printer.name)),
                JSONMember(key: "address", value: .string(printer.address)),
                JSONMember(key: "profile", value: .string(printer.profile)),
                JSONMember(key: "pinned", value: .bool(pin != nil)),
                JSONMember(key: "sha256", value: pin.map { .string($0.fingerprint) } ?? .null),
                JSONMember(key: "user", value: printer.user.map { .string($0) } ?? .null),
            ])
        }
        return .object([JSONMember(key: "printers", value: .array(all))])
    }
}
