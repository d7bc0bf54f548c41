import Foundation
import TillCore
import TillSandbox

/// The published test cards of Stripe's simulated readers, and the physical test card, with amounts that select its
/// outcome.
enum SandboxTestCard {
    /// The decline codes of the physical test card, by the last two digits of the amount.
    static let amounts: [Int64: String] = [
        1: "call_issuer", 2: "offline_pin_required", 3: "online_or_offline_pin_required", 5: "generic_decline",
        55: "incorrect_pin", 65: "withdrawal_count_limit_exceeded", 75: "pin_try_exceeded",
    ]

    /// The national network of co-badged cards, by brand and last four digits.
    private static let secondNetworks: [String: String] = [
        "visa 0001": "eftpos_au", "mastercard 0080": "eftpos_au", "visa 1001": "cartes_bancaires",
        "mastercard 1001": "cartes_bancaires",
    ]

    /// Returns the network of a charge: the national one only if requested.
    static func network(_ card: SandboxCharge.Card, priority: String?) -> String {
        let second = priority == "domestic" ? secondNetworks["\(card.brand) \(card.lastFour)"] : nil
        return second ?? card.brand
    }

    /// Returns all networks of a card.
    static func networks(_ card: SandboxCharge.Card) -> [String] {
        [card.brand] + (secondNetworks["\(card.brand) \(card.lastFour)"].map { [$0] } ?? [])
    }

    /// Returns the card with a number; `nil` if it is not a test card.
    static func card(number: String) -> SandboxCard? {
        guard let brand = numbers.first(where: { $0.value.contains(number) })?.key else { return nil }
        return SandboxCard(number: number, brand: brand, entryMode: "contact_emv")
    }

    /// The published numbers, by brand.
    private static let numbers: [String: Set<String>] = [
        "visa": [
            "4242424242424242", "4000056655665556", "4000050360000001", "4000002500001001", "4001007020000002",
            "4001000360000005", "4000000000000002", "4000000000009995", "4000000000009987", "4000000000009979",
            "4000000000000069", "4000000000000119", "4000000000005126",
        ],
        "mastercard": [
            "5555555555554444", "5200828282828210", "5105105105105100", "5555050360000080", "5555552500001001",
        ],
        "amex": ["378282246310005", "371449635398431"], "discover": ["6011111111111117", "6011000990139424"],
        "diners": ["3056930009020004", "36227206271667"], "jcb": ["3566002020360505"],
        "unionpay": ["6200000000000005"], "interac": ["4506445006931933"], "eftpos_au": ["6280000360000978"],
    ]

    /// Returns the physical test card, at an amount in wire units.
    static func physical(wireAmount: Int64) -> SandboxCard {
        let behavior: SandboxCard.Behavior = amounts[wireAmount % 100].map { .decline($0) } ?? .approve
        return SandboxCard(behavior: behavior, brand: "visa", lastFour: "9969", entryMode: "contact_emv")
    }

    /// Countries and the currencies that readers there accept. An unlisted country accepts any.
    static let currencies: [String: Set<String>] = [
        "US": ["USD"], "CA": ["CAD", "USD"], "GB": ["GBP"], "AU": ["AUD"], "NZ": ["NZD"], "SG": ["SGD"],
        "JP": ["JPY"], "CH": ["CHF", "EUR"], "SE": ["SEK", "EUR"], "NO": ["NOK"], "DK": ["DKK", "EUR"],
        "CZ": ["CZK", "EUR"], "PL": ["PLN", "EUR"], "DE": ["EUR"], "FR": ["EUR"], "IE": ["EUR"], "NL": ["EUR"],
        "BE": ["EUR"], "AT": ["EUR"], "ES": ["EUR"], "IT": ["EUR"], "PT": ["EUR"], "FI": ["EUR"], "LU": ["EUR"],
        "MY": ["MYR"], "HK": ["HKD"],
    ]

    /// Countries without Stripe readers.
    private static let unsupportedCountries: Set<String> = ["RU", "KP", "IR", "SY", "CU"]
    /// Codes in the region table that denote no country.
    private static let noCountries: Set<String> = ["ZZ", "EU", "EZ", "UN", "QO", "XA", "XB"]

    /// Returns `true` if readers are available in a country, given by its two capital letters in ISO 3166.
    static func mayHaveReaders(_ country: String) -> Bool {
        Locale.Region(country).isISORegion && !noCountries.contains(country)
            && !unsupportedCountries.contains(country)
    }
}

extension StripeRendering {
    /// Renders the card of a charge made at a reader, with every member that Stripe reports.
    func presentMembers(_ charge: SandboxCharge, _ card: SandboxCharge.Card, _ type: String) -> [JSONMember] {
        var members: [JSONMember] = [
            JSONMember(key: "amount_authorized", value: wireUnits(charge, charge.authorized)),
            JSONMember(key: "cardholder_name", value: .null), JSONMember(key: "country", value: .string("US")),
            JSONMember(key: "description", value: .null), JSONMember(key: "emv_auth_data", value: .null),
            JSONMember(key: "exp_month", value: .int(12)), JSONMember(key: "exp_year", value: .int(2034)),
            JSONMember(key: "fingerprint", value: .string(StableHash.hex("\(card.brand) \(card.lastFour)"))),
            JSONMember(key: "generated_card", value: .null), JSONMember(key: "iin", value: .null),
            JSONMember(key: "issuer", value: .null),
            JSONMember(
                key: "network",
                value: .string(SandboxTestCard.network(card, priority: charge.requestedPriority))),
            JSONMember(
                key: "networks",
                value: .fields([
                    "available": .array(SandboxTestCard.networks(card).map { .string($0) }), "preferred": .null,
                ])),
            JSONMember(
                key: "network_transaction_id",
                value: .string(String(StableHash.of(charge.reference, seed: 7) % 1_000_000_000_000))),
            JSONMember(key: "preferred_locales", value: .array([.string("en")])),
            JSONMember(key: "location", value: .text(charge.location)),
            JSONMember(key: "reader", value: .text(charge.reader)),
        ]
        if type == "card_present" {
            members += [
                JSONMember(
                    key: "incremental_authorization_supported", value: .bool(charge.allowsIncrement == true)),
                JSONMember(key: "overcapture_supported", value: .bool(false)),
                JSONMember(key: "offline", value: .fields(["stored_at": .null, "type": .null])),
                JSONMember(key: "wallet", value: .null),
            ]
        }
        return members
    }

    /// Returns an amount in wire units.
    func wireUnits(_ charge: SandboxCharge, _ minorUnits: Int64) -> JSONValue {
        guard let currency = Currency(ifValid: charge.currency),
            let wire = StripeWireAmount.wire(minorUnits, currency)
        else { return .int(minorUnits) }
        return .int(wire)
    }
}
