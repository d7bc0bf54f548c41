import Testing

@testable import TillWeb

@Suite("The comments of scripts")
struct ScriptCommentsTests {
    private static func served(_ script: String) -> String {
        String(decoding: ScriptComments.removed(from: Array(script.utf8)), as: UTF8.self)
    }

    @Test(
        "that have lines of their own are not sent, and every line keeps its number",
        arguments: [
            ("", ""), ("\n", "\n"), ("a;", "a;"), ("// a\nb;\n", "\nb;\n"), ("  // a\n\tb;", "\n\tb;"),
            ("a;\n/* b */\nc;\n", "a;\n\nc;\n"), ("/**\n * a\n */\nb;\n", "\n\n\nb;\n"),
            ("/** a\n// b */ \t\nc;", "\n\nc;"), ("/**/\na;", "\na;"), ("//", ""), ("/*/\na */\nb;", "\n\nb;"),
        ])
    func removed(_ script: String, _ expected: String) { #expect(Self.served(script) == expected) }

    @Test(
        "that stand beside code are sent with it",
        arguments: [
            "a(); // b\n", "/** @type {any} */ (a).b = 1;\n", "const a = \"// b\";\n", "const a = 1 /* b */ + 2;\n",
            "const a = `// b`;\n", "const a = /[/]/;\n", "if (`${a}` === `b ${`c ${d}`}`) {\n",
        ])
    func beside(_ script: String) { #expect(Self.served(script) == script) }

    @Test(
        "are sent where a line alone does not say what is one",
        arguments: [
            "// a\nconst b = `\n// c\n`;\n", "// a\nconst b = \"c \\\n// d\";\n", "// a\nb(); /* c\n// d */\n",
            "// a\n/* b\n", "// a\n/* b\n*/ c();\n", "// a\nconst b = /`/;\n",
            "// a\nconst b = `c ${d(`e\n// f\n`)}`;\n", "// a\nb(\"`\"); c = `\n// d\n`;\n",
            "// a\nconst b = `\\`\n// c\n`;\n", "// a\r\nconst b = \"c \\\r\n// d\";\r\n", "// a\rb();\n",
            "// a\u{2028}b();\n",
        ])
    func doubtful(_ script: String) { #expect(Self.served(script) == script) }

    @Test("are sent where one asks to stay, as licenses do")
    func licensed() { #expect(Self.served("// a\n/*! b */\nc();\n") == "// a\n/*! b */\nc();\n") }

    @Test("are sent to other pages, whose shops may read them")
    func others() {
        let script = Array("// a\nb();\n".utf8)
        #expect(PageAsset.script(script, .anyOrigin).bytes == script)
        #expect(PageAsset.script(script).bytes == Array("\nb();\n".utf8))
    }
}
