package import TillCore

/// A card and the issuer's behavior for it.
package struct SandboxCard: Hashable, Sendable {
    package enum Behavior: Hashable, Sendable { case approve, requiresAction, decline(String) }

    package var behavior: Behavior
    package var brand: String
    package var lastFour: String
    package var entryMode: String?
    package var fault: SandboxFault?

    /// `true` for schemes that capture at authorization.
    package var isSingleMessage: Bool { brand == "interac" || brand == "eftpos_au" }
    /// National schemes pay in one currency.
    package var onlyCurrency: String? {
        switch brand {
        case "interac": "CAD"
        case "eftpos_au": "AUD"
        default: nil
        }
    }

    /// Test cards with an outcome other than approval; the numbers are Stripe's published ones where they exist.
    private static let special: [String: Behavior] = [
        "4000000000000002": .decline("generic_decline"),
        "4000000000000341": .decline("generic_decline"),
        "4000000000009995": .decline("insufficient_funds"),
        "4000000000000069": .decline("expired_card"),
        "4000000000009987": .decline("lost_card"),
        "4000000000009979": .decline("stolen_card"),
        "4100000000000019": .decline("fraudulent"),
        "4000000000000127": .decline("incorrect_cvc"),
        "4000000000000119": .decline("processing_error"),
        "4000002760003184": .requiresAction,
        "4000002500003155": .requiresAction,
        "4000000000003220": .requiresAction,
    ]

    /// Test numbers of national schemes, which exist as chip cards only; a number given without its reader is still
    /// one.
    private static let national = ["4506445006931933": "interac", "6280000360000978": "eftpos_au"]

    package init(behavior: Behavior, brand: String, lastFour: String, entryMode: String?, fault: SandboxFault? = nil) {
        self.behavior = behavior
        self.brand = brand
        self.lastFour = lastFour
        self.entryMode = entryMode
        self.fault = fault
    }

    /// Creates the card of a number. The number itself is not stored.
    package init(number: String, brand: String, entryMode: String?) {
        self.init(
            behavior: SandboxCard.special[number] ?? .approve, brand: brand, lastFour: String(number.suffix(4)),
            entryMode: entryMode, fault: SandboxCard.fault(of: number))
    }

    /// Creates the card of a manually entered number, with the network `brand` unless it is a test number of a national
    /// scheme.
    package init(typed number: String, brand: String) {
        let national = SandboxCard.national[number]
        self.init(number: number, brand: national ?? brand, entryMode: national == nil ? "keyed" : "contact_emv")
    }

    /// Creates the card of a tender; fails if the sandbox does not support it.
    package init?(_ tender: Tender) {
        switch tender {
        case .cash, .payPal, .payPalCard, .adyenSession:
            return nil
        case .card(let card):
            self.init(typed: card.number.reveal(), brand: card.summary.brand)
        case .token(let token):
            self.init(token: token.value.reveal())
        case .wallet(let payment):
            guard let token = payment.networkToken else {
                self.init(wallet: payment.instrumentName ?? "")
                return
            }
            self.init(number: token.number.reveal(), brand: payment.card.brand, entryMode: payment.card.entryMode)
        case .cardPresent(let payload):
            self.init(sealed: payload.sealed.reveal())
        }
    }

    /// Test tokens, by Stripe's published names of payment methods for tests, with the card that each stands for.
    private static let tokens = [
        "pm_card_visa": ("4242424242424242", "visa"), "pm_card_mastercard": ("5555555555554444", "mastercard"),
        "pm_card_amex": ("378282246310005", "amex"), "pm_card_discover": ("6011111111111117", "discover"),
        "pm_card_chargeDeclined": ("4000000000000002", "visa"),
        "pm_card_visa_chargeDeclined": ("4000000000000002", "visa"),
        "pm_card_chargeDeclinedInsufficientFunds": ("4000000000009995", "visa"),
        "pm_card_visa_chargeDeclinedInsufficientFunds": ("4000000000009995", "visa"),
        "pm_card_chargeDeclinedExpiredCard": ("4000000000000069", "visa"),
        "pm_card_chargeDeclinedIncorrectCvc": ("4000000000000127", "visa"),
        "pm_card_authenticationRequired": ("4000002760003184", "visa"),
    ]

    /// Creates the card of a test token; fails for any other, since the sandbox has no card fields of its own.
    package init?(token: String) {
        guard let (number, brand) = SandboxCard.tokens[token] else { return nil }
        self.init(number: number, brand: brand, entryMode: nil)
    }

    /// Decrypts a card sealed by a simulated reader: `sim:<number>:<brand>:<entry mode>` or `sim:declined:<reason>`.
    package init?(sealed: String) {
        let parts = sealed.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.first == "sim" else { return nil }
        if parts.count == 3, parts[1] == "declined", !parts[2].isEmpty {
            self.init(behavior: .decline(parts[2]), brand: "visa", lastFour: "0002", entryMode: "contact_emv")
            return
        }
        guard parts.count == 4, parts[1].utf8.count >= 12, parts[1].utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
        else { return nil }
        self.init(number: parts[1], brand: parts[2], entryMode: parts[3])
    }

    /// Creates the card of a sealed wallet token from the name that the wallet shows, such as `Visa 0002`: the test
    /// number with that ending, or an approved card. The sandbox has no key to decrypt tokens.
    package init?(wallet name: String) {
        let parts = name.split(separator: " ")
        guard parts.count >= 2, let brand = parts.first?.lowercased(), let digits = parts.last, digits.utf8.count == 4,
            digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
        else { return nil }
        let known = SandboxCard.special.keys.sorted() + SandboxCard.faulty
        self.init(
            number: known.first { $0.hasSuffix(digits) } ?? "411111111111" + digits, brand: brand,
            entryMode: "apple_pay")
    }

    private static let faulty = [
        "4000000000077000", "4000000000077018", "4000000000077026", "4000000000077034", "4000000000077042",
        "4000000000077059", "4000000000077067", "4000000000077075",
    ]

    private static func fault(of number: String) -> SandboxFault? {
        guard let index = faulty.firstIndex(of: number), SandboxFault.inOrder.indices.contains(index) else {
            return nil
        }
        return SandboxFault.inOrder[index]
    }
}

extension SandboxCharge.Card {
    /// Returns the displayable summary, with a chip read's receipt data generated from the charge's reference.
    /// - Parameter declined: the issuer's decline code, if declined.
    package func summary(reference: String, declined: String? = nil) -> CardSummary {
        guard let entryMode, entryMode.hasSuffix("_emv") else {
            return CardSummary(brand: brand, lastFour: lastFour, entryMode: entryMode)
        }
        return CardSummary(
            brand: brand, lastFour: lastFour, entryMode: entryMode, emv: emv(reference: reference, declined: declined))
    }

    /// Returns a chip card's receipt data.
    /// - Parameter declined: the issuer's decline code, if declined: there is no authorization code then, and the
    ///   response code is the issuer's.
    package func emv(reference: String, declined: String? = nil) -> EMVReceiptData {
        let isContact = entryMode == "contact_emv"
        var emv = EMVReceiptData()
        switch brand {
        case "visa": (emv.dedicatedFileName, emv.applicationPreferredName) = ("A0000000031010", "Visa Credit")
        case "mastercard": (emv.dedicatedFileName, emv.applicationPreferredName) = ("A0000000041010", "Mastercard")
        case "amex": (emv.dedicatedFileName, emv.applicationPreferredName) = ("A000000025010801", "American Express")
        case "discover": (emv.dedicatedFileName, emv.applicationPreferredName) = ("A0000001523010", "Discover")
        case "interac": (emv.dedicatedFileName, emv.applicationPreferredName) = ("A0000002771010", "Interac")
        case "eftpos_au": (emv.dedicatedFileName, emv.applicationPreferredName) = ("A00000038410", "eftpos SAV")
        default: break
        }
        if brand == "interac" { emv.accountType = "checking" }
        if brand == "eftpos_au" { emv.accountType = "savings" }
        switch declined {
        case nil:
            emv.authorizationResponseCode = "3030"
            let code = String(StableHash.of(reference, seed: 3) % 1_000_000)
            emv.authorizationCode = String(repeating: "0", count: 6 - code.utf8.count) + code
        case "insufficient_funds": emv.authorizationResponseCode = "3531"
        case "expired_card": emv.authorizationResponseCode = "3534"
        default: emv.authorizationResponseCode = "3035"
        }
        emv.applicationCryptogram = StableHash.hex(reference, seed: 4).uppercased()
        emv.terminalVerificationResults = isContact ? "8000008000" : "0000008000"
        emv.transactionStatusInformation = isContact ? "E800" : "0000"
        emv.cardholderVerificationMethod =
            isSingleMessage && isContact ? "online_pin" : (isContact ? "offline_pin" : "none")
        return emv
    }
}
