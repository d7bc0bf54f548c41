import ArgumentParser
import TillCore
import TillCounter
import TillJournal
import TillPrinting
import TillReceipts

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
                let place = try PrinterAddress(parsing: address)
                var printer = KnownPrinter(name: try chosenName(), address: place.description, profile: profile)
                guard ESCPOSProfile.named(profile) != nil else {
                    throw CommandError(
                        code: "unknown_profile", what: "There is no printer profile \(profile).",
                        next: "Use \(ESCPOSProfile.all.map(\.name).joined(separator: ", ")).")
                }
                if let user {
                    // Rejected now rather than while a customer waits for the receipt.
                    _ = try PrinterRegistry.credentials(user, file: passwordFile)
                    printer.user = user
                    printer.passwordFile = passwordFile
                }
                printer.certificate = try await certificate(place, &printer)
                try await PrinterRegistry(counter.journal).keep(printer)
                Output.line(common.json ? Printers.list([printer]).text : "\(printer.name) is \(place).")
            }
        }

        private func chosenName() throws -> String {
            let words = ReceiptText(name).plain.split(separator: " ")
            guard words.count == 1, let word = words.first, word.count <= 40, !word.contains("/") else {
                throw CommandError(
                    code: "invalid_name", what: "The name must be one word without /, of at most 40 characters.",
                    next: "Give one such as bar.")
            }
            return String(word)
        }

        private func certificate(_ place: PrinterAddress, _ printer: inout KnownPrinter) async throws -> [UInt8]? {
            guard trust || pin != nil else { return nil }
            guard case .ipp(let ipp) = place, ipp.isSecure else {
                throw CommandError(
                    code: "no_certificate", what: "Only a printer at an ipps address shows a certificate.",
                    next: "Use ipps://…, or leave out --trust and --pin.")
            }
            if let pin {
                guard let known = PrinterPin(parsing: pin) else {
                    throw CommandError(
                        code: "invalid_pin", what: "--pin is no SHA-256: that has 64 hexadecimal digits.",
                        next: "Read it at the printer, or use --trust.")
                }
                return known.digest
            }
            printer.trustsFirst = true
            do {
                let seen = try await PrinterPin.observe(ipp)
                Output.note("Its certificate has the SHA-256 \(seen.fingerprint). Compare it with the printer's own.")
                return seen.digest
            } catch {
                Output.note("The printer shows no certificate now; the first one that it shows will be kept.")
                return nil
            }
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
