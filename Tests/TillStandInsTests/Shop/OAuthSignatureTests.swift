import Testing

@testable import TillStandInShop

@Suite("Signatures of the shop's interface")
struct OAuthSignatureTests {
    private func base(_ query: String, method: String = "get") -> String {
        OAuthSignature.baseString(
            method: method, address: "http://127.0.0.1:8080/wp-json/wc/v3/orders",
            parameters: PHPParameters(query: query))
    }
    private let start = "GET&http%3A%2F%2F127.0.0.1%3A8080%2Fwp-json%2Fwc%2Fv3%2Forders&"

    @Test("names are sorted by byte, and everything is encoded twice")
    func order() {
        #expect(base("b=2&a=1&B=3&a_=4") == start + "B%3D3%26a%3D1%26a_%3D4%26b%3D2")
        #expect(base("a=x+y%26%C3%BC~") == start + "a%3Dx%2520y%2526%25C3%25BC~")
        #expect(base("a[1]=y&a[0]=x") == start + "a%255B1%255D%3Dy%26a%255B0%255D%3Dx")
    }

    @Test("a repeated name is signed once")
    func repeated() {
        #expect(base("a=1&a=2") == base("a=2"))
    }

    /// Computed by Python's hmac.
    @Test("the signature is HMAC of the text under the secret and an ampersand")
    func signature() {
        let text = base("a=1")
        #expect(OAuthSignature.signature(of: text, secret: "cs_x", method: .sha1) == "bmaKoUylKtKSvYN4iAl+XCQCIBo=")
        #expect(
            OAuthSignature.signature(of: text, secret: "cs_x", method: .sha256)
                == "4K+vyW8rvpATCV6N8iQPYEWJ39lngU2gSXpDANQNI7Q=")
    }
}

@Suite("Rules of the shop")
struct ShopRuleTests {
    @Test("a secret is signed with after its entities are decoded")
    func entities() {
        #expect(ShopWebhook.withoutEntities("a&amp;b&#039;&lt;&gt;&quot;&amp;amp;&x;") == "a&b'<>\"&amp;&x;")
    }

    @Test("rights are those of the key")
    func permissions() {
        #expect(ShopPermissions.read.lacking("GET") == nil)
        #expect(ShopPermissions.read.lacking("POST") == "write")
        #expect(ShopPermissions.write.lacking("GET") == "read")
        #expect(ShopPermissions.write.lacking("DELETE") == nil)
        #expect(ShopPermissions.readWrite.lacking("PUT") == nil)
    }

    @Test("a status of an extension keeps its text")
    func statuses() {
        #expect(ShopOrderStatus("parked-by-extension") == .other("parked-by-extension"))
        for text in ["pending", "on-hold", "checkout-draft", "parked-by-extension"] {
            #expect(ShopOrderStatus(text).text == text)
        }
    }
}
