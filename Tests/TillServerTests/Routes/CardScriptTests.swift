import HTTPTypes
import Hummingbird
import Testing
import TillCore
@testable import TillFeatureCardFields

@testable import TillWeb

@Suite("The script of <till-card>")
struct CardScriptTests {
    @Test("A file's integrity value is its SHA-384 in base64")
    func digest() {
        // The digest of "abc" of FIPS 180-4's examples.
        #expect(
            PageAsset.script(Array("abc".utf8)).integrity
                == "sha384-ywB1P0WjXou1oD1pmsZQBycsMqsO3tFjGotgWkP/W+2AhgcroefMI1i67KE0yCWn")
    }

    @Test("A session has the integrity value of the script that the counter serves, and a page may check it")
    func session() async throws {
        let counter = try await RoutedCounter()
        let made = try await counter.ask(
            "POST", "/v1/payments", headers: ["Idempotency-Key": "create"],
            #"{"order_id":"o-1","amount":1250,"currency":"EUR"}"#)
        let payment = try #require(try await RoutedCounter.document(made)["id"]?.stringValue)
        let answer = try await RoutedCounter.document(
            counter.ask("POST", "/v1/payments/\(payment)/card_session", #"{"origin":"https://shop.example"}"#))
        let path = try #require(answer["script_path"]?.stringValue)
        let served = try await counter.ask("GET", path, isStranger: true, ofThePublic: true)
        // Without it a browser refuses a script with a digest.
        #expect(served.headers[.accessControlAllowOrigin] == "*")
        let text = try await RoutedCounter.text(served)
        #expect(answer["script_integrity"]?.stringValue == PageAsset.script(Array(text.utf8), .anyOrigin).integrity)
        // What it would import is not covered by the digest.
        #expect(!text.contains("\nimport ") && !text.contains("import("))
        await counter.close()
    }
}
