import Testing

@testable import TillCommandLine

@Suite("Words of the command line") struct CommandWordsTests {
    @Test("letters that are added, missing, wrong or swapped are one each")
    func distance() {
        #expect(CommandWords.distance("sale", "sale") == 0)
        #expect(CommandWords.distance("slae", "sale") == 1)
        #expect(CommandWords.distance("sal", "sale") == 1)
        #expect(CommandWords.distance("salle", "sale") == 1)
        #expect(CommandWords.distance("sole", "sale") == 1)
        #expect(CommandWords.distance("", "sale") == 4)
        #expect(CommandWords.distance("sale", "") == 4)
        #expect(CommandWords.distance("kitten", "sitting") == 3)
    }

    @Test("a name is near if at most a third of it is wrong, and the first of equals is named")
    func nearest() {
        let names = ["sale", "orders", "payments", "list", "last"]
        #expect(CommandWords.nearest(to: "slae", among: names) == "sale")
        #expect(CommandWords.nearest(to: "ordr", among: names) == "orders")
        #expect(CommandWords.nearest(to: "lst", among: names) == "list")
        #expect(CommandWords.nearest(to: "nonsense", among: names) == nil)
        #expect(CommandWords.nearest(to: "", among: names) == nil)
        #expect(CommandWords.nearest(to: "sale", among: []) == nil)
        #expect(CommandWords.nearest(to: String(repeating: "s", count: 41), among: names) == nil)
    }

    @Test("the first word that is no command is found, and none where a command is known")
    func unknown() {
        #expect(CommandWords.unknown(["slae", "--amount", "1"])?.sentence.contains("`till sale`") == true)
        #expect(CommandWords.unknown(["--json", "slae"])?.word == "slae")
        #expect(CommandWords.unknown(["payments", "lst"])?.path == "till payments")
        #expect(CommandWords.unknown(["payments", "look", "pay_1"]) == nil)
        #expect(CommandWords.unknown(["payments"]) == nil)
        #expect(CommandWords.unknown(["--nonsense", "sale"]) == nil)
        #expect(CommandWords.unknown(["sale", "extra"]) == nil)
        #expect(CommandWords.unknown(["failpints"])?.nearest == nil)
        #expect(CommandWords.unknown([]) == nil)
    }

    @Test("only the help of a command that takes options of providers has the line about them")
    func topic() {
        let text = "OVERVIEW: Lists.\n\nUSAGE: till\n\n"
        let line = "\n\nOptions of providers: till help providers"
        #expect(ProviderHelp.help(text, ["payments", "list", "--help"])?.hasSuffix("USAGE: till" + line) == true)
        #expect(ProviderHelp.help(text, ["help", "payments", "list"]) != nil)
        #expect(ProviderHelp.help(text, ["payments", "--help"]) == nil)
        #expect(ProviderHelp.help(text, ["help", "providers"]) == nil)
        #expect(ProviderHelp.help("0.1.0", ["payments", "list", "--version"]) == nil)
    }
}
