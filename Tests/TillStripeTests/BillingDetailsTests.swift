import Testing
import TillCards
import TillCore
import TillTestSupport
@testable import TillStripe

@Suite("The cardholder at Stripe") struct BillingDetailsTests {
    @Test("name and billing address go along where they were typed, and nothing else is made up")
    func fields() throws {
        let address = BillingAddress(line1: "Weg 1", city: "Berlin", postalCode: "10115", country: "DE")
        let rows: [(String?, BillingAddress?, [String])] = [
            (nil, nil, []), ("Ada", nil, ["billing_details[name]=Ada"]),
            (
                nil, address,
                [
                    "billing_details[address][line1]=Weg 1", "billing_details[address][city]=Berlin",
                    "billing_details[address][postal_code]=10115", "billing_details[address][country]=DE",
                ]
            ),
        ]
        for (holder, address, wanted) in rows {
            let card = try PaymentCard(
                number: "4242424242424242", expiry: "12/34", securityCode: "987", holder: holder,
                billingAddress: address, now: ManualClock().now()
            ).details
            guard case .success(.card(let fields, let secrets)) = StripeCredential.of(.card(card), simulated: false)
            else {
                Issue.record("the card was refused")
                continue
            }
            #expect(fields.map { "\($0)=\($1)" }.filter { $0.hasPrefix("billing") } == wanted)
            #expect(secrets.contains { $0.reveal() == holder ?? "987" })
        }
    }
}
