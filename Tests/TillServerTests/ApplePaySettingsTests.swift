import Testing
import TillCore
@testable import TillFeatureApplePay
import TillTestSupport

@Suite("Settings of Apple Pay that a browser refuses")
struct ApplePaySettingsTests {
    private func settings(
        country: String = "GB", _ more: String = "", domain: String = ""
    ) throws -> ApplePaySettings {
        let text = #"""
            {"environment":"production","display_name":"Shop","country":"\#(country)","currency":"GBP"\#(more),
            "domains":[{"name":"shop.example","merchant":"merchant.example.shop"\#(domain)}]}
            """#
        return try ApplePaySettings(JSONValue(parsing: text.utf8), folder: "/", environment: [:])
    }

    private func examine(_ settings: ApplePaySettings, _ answers: [String] = []) async -> [ApplePayDoctor.Finding] {
        // Over plain HTTP no TLS is examined.
        await ApplePayDoctor(
            settings: settings, transport: ScriptedTransport(answers.map { .json(200, $0) }),
            probe: "http://127.0.0.1:9", sessions: .omitted, now: Timestamp(milliseconds: 0)
        ).examine()
    }

    @Test(
        "A country is an assigned code of ISO 3166-1 in capitals, the shop's and a domain's",
        arguments: [
            "UK", "gb", "Gb", "GBR", "XX", "EU", " GB", "England",
        ])
    func country(_ code: String) async throws {
        let reason = "\(code) is no code of ISO 3166-1, such as GB"
        #expect(throws: ApplePaySettingsError(field: "country: \(reason)")) {
            _ = try settings(country: code).options()
        }
        let own = try settings(domain: #","country":"\#(code)""#)
        #expect(throws: ApplePaySettingsError(field: "country of shop.example: \(reason)")) { _ = try own.options() }
        for unusable in [try settings(country: code), own] {
            let found = await examine(unusable).filter { $0.code == "country" }
            #expect(found.map(\.verdict) == [.fault] && found.first?.text.contains(code) == true)
        }
    }

    @Test("The codes of ISO 3166-1 are taken")
    func countries() async throws {
        #expect(ISOCountry.codes.count == 249)
        #expect(ISOCountry.codes.allSatisfy { $0.utf8.count == 2 && $0 == $0.uppercased() })
        for code in ["GB", "FR", "US", "DE", "HK", "AE"] {
            let taken = try settings(country: code, domain: #","country":"FR""#)
            _ = try taken.options()
            #expect(await examine(taken).allSatisfy { $0.code != "country" && $0.code != "networks" })
        }
    }

    @Test(
        "A list of networks has a name at least, and names alone",
        arguments: [
            "[]", #"["visa",7]"#, #"[""]"#, #""visa""#, "null", "{}",
        ])
    func noNetworks(_ list: String) throws {
        #expect(throws: ApplePaySettingsError(field: "networks")) { _ = try settings(#","networks":\#(list)"#) }
        #expect(throws: ApplePaySettingsError(field: "networks of a domain")) {
            _ = try settings(domain: #","networks":\#(list)"#)
        }
    }

    @Test("A network that Apple does not list is taken, and the doctor warns of it")
    func networks() async throws {
        let list = #","networks":["visa","americanExpress","mastercard"]"#
        for unsure in [try settings(list), try settings(domain: list)] {
            _ = try unsure.options()
            let found = await examine(unsure).filter { $0.code == "networks" }
            #expect(found.map(\.verdict) == [.warning, .warning])
            #expect(found.first?.text.contains("americanExpress") == true)
            #expect(found.last?.text.contains("masterCard") == true)
        }
    }

    @Test("The doctor asks each host of a domain's pages for its association file, and names an origin that is none")
    func hosts() async throws {
        let origins = """
            ["https://www.shop.example","https://www.shop.example:8443","http://localhost:3000","https://shop.example/"]
            """
        var several = try settings(domain: #","origins":\#(origins)"#)
        several.domains[0].association = Array("file".utf8)
        several.domains[0].associationFile = "association.txt"
        // Each host is asked for two paths, of which one is enough.
        let findings = await examine(several, ["another", "file", "another", "another"])
        let files = findings.filter { $0.code.hasPrefix("association") }
        #expect(files.map(\.code) == ["association", "association_bytes"])
        #expect(files.map { String($0.text.prefix { $0 != " " }) } == ["shop.example", "www.shop.example"])
        let none = findings.filter { $0.code == "origin" }
        #expect(none.map(\.verdict) == [.warning] && none.first?.text.hasPrefix("https://shop.example/ ") == true)
    }

    @Test("A domain has a limited number of origins")
    func manyOrigins() throws {
        func origins(_ count: Int) -> String {
            let list = (0..<count).map { #""https://w\#($0).example""# }.joined(separator: ",")
            return #","origins":[\#(list)]"#
        }
        let limit = ApplePaySettings.maximumOrigins
        #expect(try settings(domain: origins(limit)).domains[0].origins.count == limit)
        #expect(throws: ApplePaySettingsError.self) { _ = try settings(domain: origins(limit + 1)) }
    }
}
