import Foundation
import Testing
import TillCore
import TillCounter
import TillProvider
import TillStripe

@Suite("Settings")
struct SettingsTests {
    private static let modules: [any ProviderModule.Type] = [StripeModule.self]

    /// A settings file in a folder of its own.
    private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "till-settings-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/till.json"))
        try body(folder + "/till.json")
    }

    private func refusal(_ text: String, environment: [String: String] = [:]) throws -> SettingsError? {
        var found: SettingsError?
        try withFile(text) { path in
            do throws(SettingsError) {
                _ = try Settings(of: SettingsTests.modules, file: path, environment: environment)
            } catch { found = error }
        }
        return found
    }

    @Test("the command line comes before the environment, that before the file, that before the default")
    func order() throws {
        try withFile(#"{"port":1,"host":"file","store":"File","limits":{"streams":3}}"#) { path in
            let settings = try Settings(
                commandLine: ["port": "3"], file: path, environment: ["TILL_PORT": "2", "TILL_HOST": "environment"])
            #expect(settings.number(.port) == 3)
            #expect(settings.text(.host) == "environment")
            #expect(settings.text(.store) == "File")
            #expect(settings.number(.streams) == 3)
            #expect(settings.text(.provider) == nil)
            let places = Dictionary(uniqueKeysWithValues: settings.entries.map { ($0.setting.key, $0.place) })
            #expect(places["port"] == "--port")
            #expect(places["host"] == "TILL_HOST")
            #expect(places["store"] == "“store” in \(path)")
            #expect(places["provider"] == "default")
        }
    }

    #if os(Linux)
        @Test("a file that is there and cannot be read is refused, and not taken for an empty one")
        func unreadable() {
            // The memory of this process, of which no byte is at the address zero.
            let path = "/proc/self/mem"
            #expect(throws: SettingsError.file(path, reason: "it cannot be read")) {
                try Settings(of: SettingsTests.modules, file: path, environment: [:])
            }
            do throws(SettingsError) {
                _ = try Settings(
                    of: SettingsTests.modules, commandLine: ["stripe.key_file": path], environment: [:])
                Issue.record("a secret that cannot be read was taken")
            } catch { #expect("\(error)".contains("cannot be read")) }
        }
    #endif

    @Test("TILL_CONFIG names the file, an empty variable is none, and another program's variables are not read")
    func variables() throws {
        try withFile(#"{"store":"File"}"#) { path in
            let settings = try Settings(
                environment: ["TILL_CONFIG": path, "TILL_STORE": "", "STORE": "other", "TILL_UNKNOWN": "x"])
            #expect(settings.file == path)
            #expect(settings.text(.store) == "File")
        }
    }

    @Test("a key that nothing reads is refused, and the one that was meant is named")
    func unknownKeys() throws {
        let misspelt = try #require(try refusal(#"{"stripe":{"ulr":"http://x"}}"#))
        #expect(misspelt.code == "unknown_setting")
        #expect(misspelt.what.contains("“stripe.ulr”"))
        #expect(misspelt.next == "Did you mean “stripe.url”?")
        #expect(try refusal(#"{"colour":"red"}"#)?.next == "`till doctor` lists every setting.")
    }

    @Test(
        "a value of another kind is refused with its place",
        arguments: [
            (#"{"port":"8080"}"#, "“port”", "must be a whole number"), (#"{"port":80.5}"#, "80.5", "0 to 65535"),
            (#"{"port":65536}"#, "65536", "0 to 65535"), (#"{"port":-1}"#, "-1", "0 to 65535"),
            (#"{"store":7}"#, "“store”", "must be text"), (#"{"store":null}"#, "“store”", "must be text"),
            (#"{"store":""}"#, "“store”", "is empty"), (#"{"stripe":"x"}"#, "“stripe”", "must be an object"),
            (#"{"log":{"level":"loud"}}"#, "loud", "one of trace"),
            (#"{"sandbox":{"latency":"5 s"}}"#, "5 s", "as 50ms"),
            (#"{"sandbox":{"latency":"2000000s"}}"#, "2000000s", "up to a day"), (#"{"store":"#, "Line 1", "ends"),
            ("[]", "till.json", "no JSON object"),
            (#"{"a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":1}}}}}}}}"#, "“a”", "no setting"),
        ])
    func wrongValues(text: String, place: String, reason: String) throws {
        let error = try #require(try refusal(text))
        #expect(error.description.contains(place) && error.description.contains(reason), "\(error)")
        #expect(error.moneyMoved == .no)
    }

    @Test("a wrong variable and a missing file are named")
    func wrongPlaces() throws {
        #expect(throws: SettingsError.self) { try Settings(environment: ["TILL_PORT": "abc"]) }
        do { _ = try Settings(environment: ["TILL_PORT": "abc"]) } catch { #expect(error.what.hasPrefix("TILL_PORT ")) }
        do { _ = try Settings(file: "/nowhere.json", environment: [:]) } catch {
            #expect(error.what.contains("/nowhere.json"))
        }
    }

    @Test("a secret comes from the environment or from a file of its own, never from the settings, and is never shown")
    func secrets() throws {
        let inFile = try #require(try refusal(#"{"stripe":{"key":"sk_live_geheim"}}"#))
        #expect(inFile.code == "secret_in_settings_file")
        #expect(!"\(inFile)".contains("geheim"))
        #expect(inFile.next.contains("TILL_STRIPE_KEY") && inFile.next.contains("stripe.key_file"))
        try withFile("sk_live_geheim\n") { path in
            let settings = try Settings(of: SettingsTests.modules, environment: ["TILL_STRIPE_KEY_FILE": path])
            #expect(settings.secret(.stripeKey)?.reveal() == "sk_live_geheim")
            #expect(settings.text(.stripeKey) == nil)
            #expect(!"\(settings.entries)".contains("geheim"))
            #expect(settings.entries.first { $0.setting == .stripeKey }?.origin == .secretFile(path))
            let both = try Settings(
                of: SettingsTests.modules, environment: ["TILL_STRIPE_KEY_FILE": path, "TILL_STRIPE_KEY": "sk_other"])
            #expect(both.secret(.stripeKey)?.reveal() == "sk_other")
        }
        try withFile("whsec_1\r\nwhsec_2\n") { path in
            let settings = try Settings(
                of: SettingsTests.modules, environment: ["TILL_STRIPE_WEBHOOK_SECRET_FILE": path])
            #expect(settings.secret(.stripeWebhookSecret)?.reveal() == "whsec_1,whsec_2")
        }
        try withFile("") { path in
            #expect(throws: SettingsError.self) { try Settings(environment: ["TILL_API_KEY_FILE": path]) }
        }
        #expect(throws: SettingsError.self) { try Settings(environment: ["TILL_API_KEY_FILE": "/nowhere"]) }
        do { _ = try Settings(environment: ["TILL_API_KEY": "geheim\u{7}"]) } catch {
            #expect(!"\(error)".contains("geheim"))
        }
    }

    @Test("each setting is read from its variable and from the command line, and from nothing else")
    func sources() throws {
        for setting in Setting.all(SettingsTests.modules) {
            let text: String
            switch setting.kind {
            case .text: text = "x1"
            case .number(let range): text = String(range.lowerBound)
            case .span: text = "50ms"
            case .choice(let words): text = try #require(words.first)
            case .path, .secret, .lines, .pairs, .country, .locale, .timeZone, .webAddress, .hosts: continue
            }
            let variable = try Settings(of: SettingsTests.modules, environment: [setting.variable: text])
            #expect(variable.text(setting) == text, "\(setting.variable)")
            let option = try Settings(of: SettingsTests.modules, commandLine: [setting.key: text], environment: [:])
            #expect(option.text(setting) == text, "\(setting.key)")
            let none = try Settings(of: SettingsTests.modules, environment: ["TILL_X_\(setting.variable)": text])
            #expect(none.text(setting) == nil, "\(setting.key)")
        }
    }

    @Test("each setting has a name, a variable and a sentence of its own")
    func table() {
        let table = Setting.all(SettingsTests.modules)
        #expect(Set(table.map(\.key)).count == table.count)
        #expect(Set(table.map(\.variable)).count == table.count)
        #expect(table.allSatisfy { $0.about.hasSuffix(".") })
        #expect(Setting.stripeKeyFile.variable == "TILL_STRIPE_KEY_FILE")
    }
}
