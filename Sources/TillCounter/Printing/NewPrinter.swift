package import TillCore
package import TillPrinting
import TillReceipts

/// A printer to be registered, as entered by a shop and not yet checked.
package struct NewPrinter: Sendable {
    /// The maximum length of a name, in characters.
    package static let maximumName = 40
    /// The maximum size of a name, in UTF-8 bytes.
    package static let maximumNameBytes = 160

    /// One word without a slash.
    package var name: String
    /// In the form of `PrinterAddress`.
    package var address: String
    /// The name of an ESC/POS profile.
    package var profile = "80"
    /// `true` to pin the first certificate that an `ipps` printer presents.
    package var trustsFirst = false
    /// The SHA-256 of the only certificate to trust, 64 hexadecimal digits; takes precedence over ``trustsFirst``.
    package var pin: String?
    /// The user name, if the printer requires one.
    package var user: String?
    /// The path of the password file on the counter's machine.
    package var passwordFile: String?

    package init(name: String, address: String) {
        self.name = name
        self.address = address
    }

    /// Returns the printer to register. Does not contact it.
    func checked() throws(NewPrinterError) -> (printer: KnownPrinter, address: PrinterAddress) {
        let place: PrinterAddress
        do throws(PrinterAddressError) { place = try PrinterAddress(parsing: address) } catch { throw .address(error) }
        guard let word = NewPrinter.word(in: name) else { throw .name }
        guard ESCPOSProfile.named(profile) != nil else { throw .profile(String(profile.prefix(40))) }
        var printer = KnownPrinter(name: word, address: place.description, profile: profile)
        if let user {
            // Rejected now rather than while a customer waits for the receipt.
            do throws(PrinterRegistryError) {
                _ = try PrinterRegistry.credentials(user, file: passwordFile)
            } catch { throw .credentials(error) }
            printer.user = user
            printer.passwordFile = passwordFile
        }
        guard trustsFirst || pin != nil else { return (printer, place) }
        guard case .ipp(let ipp) = place, ipp.isSecure else { throw .noCertificate }
        if let pin {
            guard let known = PrinterPin(parsing: pin) else { throw .fingerprint }
            printer.certificate = known.digest
        } else {
            printer.trustsFirst = true
        }
        return (printer, place)
    }

    /// Returns the text if it is one word that can be a name, also in an address.
    private static func word(in text: String) -> String? {
        let words = ReceiptText(text).plain.split(separator: " ")
        guard words.count == 1, let word = words.first, word.count <= maximumName,
            word.utf8.count <= maximumNameBytes, !word.contains("/"), word.contains(where: { $0 != "." })
        else { return nil }
        return String(word)
    }
}

/// A refused registration of a printer. Nothing was registered, and nothing was sent to the printer.
package enum NewPrinterError: ExplainedError, Hashable {
    case name
    case address(PrinterAddressError)
    /// No profile has this name.
    case profile(String)
    /// A certificate is to be trusted at an address that presents none.
    case noCertificate
    /// The text is not a SHA-256.
    case fingerprint
    case credentials(PrinterRegistryError)
    /// A printer of this name is registered.
    case exists(String)
    /// ``PrinterRegistry/maximum`` printers are registered.
    case tooMany

    package var code: String {
        switch self {
        case .name: "invalid_name"
        case .address(let error): error.code
        case .profile: "unknown_profile"
        case .noCertificate: "no_certificate"
        case .fingerprint: "invalid_fingerprint"
        case .credentials(let error): error.code
        case .exists: "printer_exists"
        case .tooMany: "too_many_printers"
        }
    }

    package var what: String {
        switch self {
        case .name:
            "The name must be one word without /, of at most \(NewPrinter.maximumName) characters."
        case .address(let error): error.what
        case .profile(let name): "There is no printer profile \(name)."
        case .noCertificate: "Only a printer at an ipps address shows a certificate."
        case .fingerprint: "This is no SHA-256: that has 64 hexadecimal digits."
        case .credentials(let error): error.what
        case .exists(let name): "There is a printer with the name \(name). None was added."
        case .tooMany: "There are \(PrinterRegistry.maximum) printers, which is the most. None was added."
        }
    }

    /// A printer moves no money.
    package var moneyMoved: MoneyMoved { .no }

    package var next: String {
        switch self {
        case .name: "Give one such as bar."
        case .address(let error): error.next
        case .profile: "Use \(ESCPOSProfile.all.map(\.name).joined(separator: ", "))."
        case .noCertificate: "Use ipps://…, or trust no certificate."
        case .fingerprint: "Read it at the printer, or trust the first certificate that it shows."
        case .credentials(let error): error.next
        case .exists: "Choose another name, or remove that printer first."
        case .tooMany: "Remove one that is not needed."
        }
    }

    /// The name of the request field that caused it; `nil` if none did.
    package var field: String? {
        switch self {
        case .name, .exists: "name"
        case .address, .noCertificate: "address"
        case .profile: "profile"
        case .fingerprint: "sha256"
        case .credentials: "user"
        case .tooMany: nil
        }
    }
}
