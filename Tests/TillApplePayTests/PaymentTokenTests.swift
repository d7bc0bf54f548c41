import Testing
import TillApplePay
import TillCore
import TillSandbox
import TillStandInApple
import TillTestSupport

@Suite("Payment tokens")
struct PaymentTokenTests {
    let world: World
    init() throws { world = try World() }

    @Test("A token opens to the card, amount and cryptogram, in every form in which Apple wrote it")
    func forms() async throws {
        for indefinite in [true, false] {
            for null in [true, false] {
                for protected in [true, false] {
                    var maker = world.maker
                    maker.usesIndefiniteLengths = indefinite
                    maker.writesNullParameters = null
                    maker.protectsAlgorithms = protected
                    let token = try await world.decide(maker.paymentData(world.request))
                    #expect(token.payload.accountNumber.reveal() == "4784000000380075")
                    #expect(token.payload.amount == World.price)
                    guard case .threeDSecure(let cryptogram, let indicator) = token.payload.credential else {
                        Issue.record("not 3-D Secure")
                        return
                    }
                    #expect(!cryptogram.reveal().isEmpty)
                    #expect(indicator == "7")
                }
            }
        }
    }

    @Test("The whole token, its text, its base64 and an object around it are read as well")
    func shapes() async throws {
        let data = try world.maker.paymentData(world.request)
        let whole = try world.maker.token(world.request)
        _ = try await world.decide(whole)
        _ = try await world.decide(.object([JSONMember(key: "token", value: whole)]))
        _ = try await world.decide(.object([JSONMember(key: "paymentData", value: .string(data.text))]))
        let named = try UnverifiedPaymentToken(document: whole)
        #expect(named.claimedCardName == "Visa 0075")
    }

    @Test("An empty paymentData is named as the device simulator's")
    func simulated() {
        #expect {
            try UnverifiedPaymentToken(parsing: Array(#"{"paymentData":{}}"#.utf8))
        } throws: { ($0 as? PaymentTokenError)?.code == "simulated" }
    }

    @Test("RSA_v1 opens with an RSA key")
    func rsa() async throws {
        let world = try World(rsa: true)
        var request = world.request
        request.version = .rsaV1
        for withoutDigest in [false, true] {
            for protected in [false, true] where protected || !withoutDigest {
                var maker = world.maker
                maker.namesRSAWithoutDigest = withoutDigest
                maker.protectsAlgorithms = protected
                let token = try await world.decide(maker.paymentData(request))
                #expect(token.payload.amount == World.price)
            }
        }
    }

    @Test("A secret that begins with zeros opens: one token in 256 has one")
    func leadingZeros() async throws {
        for _ in 0..<600 {
            let token = try await world.decide(world.maker.paymentData(world.request))
            #expect(token.payload.amount == World.price)
        }
    }

    @Test("An EMV payload and a cryptogram without indicator stay as they are")
    func credentials() async throws {
        var request = world.request
        request.isEMV = true
        let chip = try await world.decide(world.maker.paymentData(request))
        guard case .emv = chip.payload.credential else {
            Issue.record("not EMV")
            return
        }
        request.isEMV = false
        request.eciIndicator = nil
        let mastercard = try await world.decide(world.maker.paymentData(request))
        guard case .threeDSecure(_, nil) = mastercard.payload.credential else {
            Issue.record("an indicator that the wallet did not give")
            return
        }
    }

    @Test("Each flaw is refused, at its own step", arguments: SandboxTokenFlaw.allCases)
    func flaws(_ flaw: SandboxTokenFlaw) async throws {
        let step: PaymentTokenStep =
            switch flaw {
            case .signerWithoutMark, .authorityWithoutMark, .twoSigners, .p384Signer, .rsaSigner, .sandboxSigner:
                .signer
            // The other certificate is the genuine signer's, which is no authority.
            case .selfSignedSigner: .signer
            case .thirdCertificate, .sha1, .embeddedContent, .unsignedAttributes, .algorithmProtection,
                .noSigningTime, .otherContentType, .trailingBytes:
                .container
            case .markOnAuthority, .otherRoot, .signerNotForSignatures, .authorityNotForIssuing: .chain
            case .changedData, .applicationDataInjected, .applicationDataStripped, .changedTransaction: .digest
            case .foreignSignature: .signature
            case .unknownKey: .key
            case .offCurvePoint: .decryption
            }
        let token = try world.maker.paymentData(world.request, flaw: flaw)
        #expect(await world.refusal(token) == step)
    }

    @Test("A sandbox token opens where the sandbox is meant")
    func sandboxSigner() async throws {
        let token = try world.maker.paymentData(world.request, flaw: .sandboxSigner)
        #expect(try await world.decide(token, environment: .sandbox).isSandbox)
    }

    @Test("A token is fresh for five minutes before and after its signature, and not a moment longer")
    func window() async throws {
        let token = try world.maker.paymentData(world.request)
        #expect(await world.refusal(token, at: World.now.adding(.minutes(5))) == nil)
        #expect(await world.refusal(token, at: World.now.adding(.minutes(-5))) == nil)
        #expect(await world.refusal(token, at: World.now.adding(.milliseconds(300_001))) == .signingTime)
        #expect(await world.refusal(token, at: World.now.adding(.milliseconds(-300_001))) == .signingTime)
        #expect(await world.refusal(token, at: World.now.adding(.hours(1))) == .signingTime)
    }

    @Test("The chain's dates count also when the chain is remembered")
    func dates() async throws {
        let token = try world.maker.paymentData(world.request)
        #expect(await world.refusal(token) == nil)
        #expect(world.trust.rememberedSigners == 1)
        #expect(await world.refusal(token, at: World.now.adding(.days(701))) == .chain)
        #expect(await world.refusal(token, at: World.now.adding(.days(-31))) == .chain)
    }

    @Test("What nobody vouched for is not remembered")
    func memory() async throws {
        for flaw in [SandboxTokenFlaw.otherRoot, .signerWithoutMark, .selfSignedSigner, .markOnAuthority] {
            _ = await world.refusal(try world.maker.paymentData(world.request, flaw: flaw))
        }
        #expect(world.trust.rememberedSigners == 0)
    }

    @Test("Apple's own root is inside, and does not believe the sandbox")
    func appleRoot() async throws {
        let token = try world.maker.paymentData(world.request)
        await #expect {
            _ = try await world.decide(bytes: token.bytes(), trust: .apple())
        } throws: { ($0 as? PaymentTokenError)?.step == .chain }
    }

    @Test("Nothing secret is in what a token or an error prints")
    func masks() async throws {
        let token = try await world.decide(world.maker.paymentData(world.request))
        var dumped = ""
        dump(token, to: &dumped)
        for text in [String(describing: token), String(reflecting: token), dumped, token.payload.masked.text] {
            #expect(!text.contains("4784000000380075"))
            #expect(!text.contains("391231"))
        }
        #expect(token.payload.masked["applicationPrimaryAccountNumber"] == .string("•••• 0075"))
        #expect(!String(describing: world.key).contains("PRIVATE"))
    }
}

@Suite("A token is bound to its order")
struct PaymentTokenBindingTests {
    let world: World
    init() throws { world = try World() }

    private func expectation(
        amount: Money = World.price, merchant: String = World.merchant, data: [UInt8]? = nil, order: String = "42:1",
        parts: [String: Money] = [:]
    ) -> PaymentTokenExpectation {
        PaymentTokenExpectation(
            amount: amount, merchant: MerchantIDHash(of: merchant), applicationData: data, order: order, parts: parts)
    }

    private func refusal(
        _ expectation: PaymentTokenExpectation, _ token: DecryptedPaymentToken,
        _ store: MemoryReplayStore = MemoryReplayStore(clock: ManualClock(World.now))
    ) async -> String? {
        do throws(PaymentTokenError) {
            _ = try await token.accept(for: expectation, replay: store)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("Amount, currency and merchant must be the order's")
    func order() async throws {
        let token = try await world.decide(world.maker.paymentData(world.request))
        #expect(await refusal(expectation(), token) == nil)
        #expect(await refusal(expectation(amount: Money(minorUnits: 1235, currency: .gbp)), token) == "amount")
        #expect(await refusal(expectation(amount: Money(minorUnits: 1234, currency: .eur)), token) == "currency")
        #expect(await refusal(expectation(merchant: "merchant.other"), token) == "merchant")
    }

    @Test("Application data must be there if, and only if, the request had some, and be the same")
    func applicationData() async throws {
        let plain = try await world.decide(world.maker.paymentData(world.request))
        var request = world.request
        request.applicationData = Array("order-42".utf8)
        let bound = try await world.decide(world.maker.paymentData(request))
        #expect(await refusal(expectation(data: Array("order-42".utf8)), bound) == nil)
        #expect(await refusal(expectation(data: Array("order-43".utf8)), bound) == "application_data")
        #expect(await refusal(expectation(), bound) == "application_data_unexpected")
        #expect(await refusal(expectation(data: Array("order-42".utf8)), plain) == "application_data_missing")
    }

    @Test("A transaction pays one order once, and the same order again is no second payment")
    func replay() async throws {
        let store = MemoryReplayStore(clock: ManualClock(World.now))
        let token = try await world.decide(world.maker.paymentData(world.request))
        #expect(await refusal(expectation(order: "42:1"), token, store) == nil)
        #expect(await refusal(expectation(order: "42:1"), token, store) == nil)
        #expect(await refusal(expectation(order: "43:1"), token, store) == "replayed")
        var request = world.request
        request.transactionID = token.transactionID.bytes
        let duplicate = try await world.decide(world.maker.paymentData(request))
        #expect(await refusal(expectation(order: "44:1"), duplicate, store) == "replayed")
    }

    @Test("A token that the provider opens is bound to the request and used once, without being opened here")
    func sealed() async throws {
        var request = world.request
        request.applicationData = Array("order-42".utf8)
        let document = try world.maker.token(request)
        let unverified = try UnverifiedPaymentToken(document: document)
        let verified = try await PaymentTokenVerifier(trust: world.trust).verify(unverified, at: World.now)
        let store = MemoryReplayStore(clock: ManualClock(World.now))
        func code(_ order: String, _ data: String) async -> String? {
            do throws(PaymentTokenError) {
                _ = try await verified.acceptSealed(for: order, applicationData: Array(data.utf8), replay: store)
                return nil
            } catch { return error.code }
        }
        #expect(await code("42:1", "order-43") == "application_data")
        #expect(await code("42:1", "order-42") == nil)
        #expect(await code("42:1", "order-42") == nil)
        #expect(await code("43:1", "order-42") == "replayed")
        let sealed = try UnverifiedPaymentToken.sealed(in: document).reveal()
        #expect(try JSONValue(parsing: sealed) == document["paymentData"])
    }

    @Test("A full store refuses rather than forgets")
    func fullStore() async throws {
        let store = MemoryReplayStore(clock: ManualClock(World.now), capacity: 1)
        let first = try await world.decide(world.maker.paymentData(world.request))
        let second = try await world.decide(world.maker.paymentData(world.request))
        #expect(await refusal(expectation(), first, store) == nil)
        #expect(await refusal(expectation(), second, store) == "replayed")
    }

    @Test("Parts for other merchants must be the order's")
    func parts() async throws {
        var request = world.request
        request.parts = ["sub-1": 1000]
        let token = try await world.decide(world.maker.paymentData(request))
        let thousand = Money(minorUnits: 1000, currency: .gbp)
        #expect(await refusal(expectation(parts: ["sub-1": thousand]), token) == nil)
        #expect(await refusal(expectation(parts: ["sub-2": thousand]), token) == "parts")
        #expect(await refusal(expectation(parts: ["sub-1": World.price]), token) == "parts")
        #expect(await refusal(expectation(), token) == "parts_unexpected")
        do throws(PaymentTokenError) {
            _ = try await token.accept(
                for: expectation(), replay: MemoryReplayStore(clock: ManualClock(World.now)))
            Issue.record("accepted")
        } catch { #expect(error.next.contains("each merchant in a sheet of its own")) }
    }
}
