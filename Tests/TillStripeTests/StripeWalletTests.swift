import TillTestSupport
import Testing
import TillCore

@testable import TillStripe

@Suite("Wallet tokens to Stripe") struct StripeWalletTests {
    private static let token = #"{"id":"tok_1","card":{"brand":"visa","last4":"0075"}}"#
    private func opened(
        _ proof: WalletPayment.NetworkToken.Proof = .threeDSecure(
            cryptogram: Secret("c3RyaWN0bHkgc2VjcmV0"), eciIndicator: "7")
    ) throws -> WalletPayment.NetworkToken {
        WalletPayment.NetworkToken(
            number: Secret("4784000000380075"), expiry: Secret(try #require(CardExpiry(month: 12, year: 2039))),
            proof: proof)
    }

    private func tender(
        _ token: WalletPayment.NetworkToken? = nil, wallet: String = "apple_pay",
        sealed: String = #"{"version":"EC_v1"}"#
    ) -> Tender {
        .wallet(
            WalletPayment(
                wallet: wallet, transaction: "ab12", networkToken: token, sealed: Secret(Array(sealed.utf8)),
                instrumentName: "Visa 0075", network: "Visa",
                card: CardSummary(brand: "visa", lastFour: "0075", entryMode: "apple_pay")))
    }

    private func authorize(
        _ tender: Tender, _ more: [ScriptedTransport.Step]? = nil
    ) async throws -> (ProviderAnswer<Authorization>, [ScriptedTransport.Call]) {
        let steps: [ScriptedTransport.Step] =
            [.json(200, Self.token)]
            + (more ?? [
                .json(200, Fixture.method), .json(200, Fixture.intent("requires_confirmation")),
                .json(200, Fixture.intent("requires_capture")),
            ])
        let transport = ScriptedTransport(steps)
        let provider = try Fixture.provider(transport)
        return (await provider.authorize(Fixture.authorization(), with: tender), transport.calls)
    }

    @Test("A sealed token becomes a token, the token a payment method, each under a key of its own")
    func sealed() async throws {
        let (answer, calls) = try await authorize(tender())
        guard case .approved = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(
            calls.map(\.line) == [
                "POST /v1/tokens", "POST /v1/payment_methods", "POST /v1/payment_intents/pi_1",
                "POST /v1/payment_intents/pi_1/confirm",
            ])
        #expect(
            calls[0].body
                == "pk_token=%7B%22version%22%3A%22EC_v1%22%7D&pk_token_instrument_name=Visa+0075&"
                + "pk_token_payment_network=Visa&pk_token_transaction_id=ab12")
        #expect(calls[1].body == "type=card&card[token]=tok_1")
        #expect(Set(calls.map(\.key)).count == 4)
    }

    @Test("An opened token goes as network token, with two digits of the indicator only if the wallet gave one")
    func networkToken() async throws {
        let (_, calls) = try await authorize(tender(opened()))
        #expect(
            calls[0].body
                == "card[number]=4784000000380075&card[exp_month]=12&card[exp_year]=2039&"
                + "card[cryptogram]=c3RyaWN0bHkgc2VjcmV0&card[tokenization_method]=apple_pay&card[eci]=07")
        let bare = try opened(.threeDSecure(cryptogram: Secret("x"), eciIndicator: nil))
        #expect(try await authorize(tender(bare)).1[0].body.contains("eci") == false)
    }

    @Test("Whatever ends the call before the confirmation has charged nothing")
    func ends() async throws {
        for lost in [ScriptedTransport.Step.fail(.unknown(reason: "no answer")), .json(500, "{}")] {
            let transport = ScriptedTransport([lost])
            let provider = try Fixture.provider(transport)
            guard case .notSent = await provider.authorize(Fixture.authorization(), with: tender()) else {
                Issue.record("a lost token is not a lost payment")
                return
            }
            #expect(transport.calls.count == 1)
        }
        let declined = try await authorize(tender(), [.json(402, Fixture.error("card_declined"))])
        guard case .declined = declined.0 else {
            Issue.record("\(declined.0)")
            return
        }
    }

    @Test(
        "A token that Stripe takes from no card of this account is declined as not enabled, and no card is",
        arguments: [
            (400, #"{"error":{"type":"invalid_request_error","code":"parameter_unknown","param":"card[cryptogram]"}}"#),
            (402, #"{"error":{"type":"invalid_request_error","message":"Sending card data is not enabled."}}"#),
        ])
    func notEnabled(_ status: Int, _ error: String) async throws {
        func reason(_ steps: [ScriptedTransport.Step]) async throws -> DeclineReason? {
            let provider = try Fixture.provider(ScriptedTransport(steps))
            let answer = await provider.authorize(Fixture.authorization(), with: tender(try opened()))
            guard case .declined(let decline) = answer else { return nil }
            return decline.reason
        }
        #expect(try await reason([.json(status, error)]) == .notEnabled)
        let card = #"{"error":{"type":"card_error","code":"card_declined","decline_code":"insufficient_funds"}}"#
        #expect(try await reason([.json(402, card)]) == .insufficientFunds)
        // A refusal of a later step is none of the token.
        #expect(try await reason([.json(200, Self.token), .json(status, error)]) != .notEnabled)
    }

    @Test("What Stripe cannot take is declined without a call: other wallets, chips' data, nothing at all")
    func refused() async throws {
        let chip = try opened(.emv(data: Secret("9F26"), pin: nil))
        for tender in [tender(chip), tender(wallet: "google_pay"), tender(sealed: "")] {
            let (answer, calls) = try await authorize(tender)
            guard case .declined = answer else {
                Issue.record("\(answer)")
                return
            }
            #expect(calls.isEmpty)
        }
    }

    @Test("Number and cryptogram are in no text that comes back")
    func scrubbed() async throws {
        let echo = #"{"error":{"type":"card_error","code":"x","message":"No 4784000000380075 c3RyaWN0bHkgc2VjcmV0"}}"#
        let (answer, _) = try await authorize(tender(opened()), [.json(402, echo)])
        #expect(!"\(answer)".contains("4784000000380075"))
        #expect(!"\(answer)".contains("c3RyaWN0bHkgc2VjcmV0"))
    }
}
