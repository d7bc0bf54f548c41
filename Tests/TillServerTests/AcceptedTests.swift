import Testing
@testable import TillCounter

@testable import TillServer
@testable import TillWeb

@Suite("What a client wants")
struct AcceptedTests {
    @Test(
        "the offer with the highest weight is taken, the first of equals",
        arguments: [
            (nil, "html"), ("*/*", "html"), ("text/html", "html"), ("application/json", "json"),
            ("text/html;q=0.2, application/json", "json"), ("text/*;q=0.5, application/json;q=0.4", "html"),
            ("text/plain, text/html;q=0.9", "text"), ("TEXT/PLAIN", "text"), ("image/png", nil), ("", nil),
            ("text/html;q=0, */*;q=0.1", "json"), ("text/html;q=1.0,application/json;q=0.999", "html"),
            ("application/json;q=x, text/plain;q=0.001", "text"), ("text/html ; q = 0.1 , text/plain", "text"),
            ("*/*;q=-1, text/plain;q=2", nil),
        ] as [(String?, String?)])
    func best(header: String?, offer: String?) {
        let offers = [("text/html", "html"), ("application/json", "json"), ("text/plain", "text")]
        #expect(Accepted(header).best(of: offers) == offer)
    }
}
