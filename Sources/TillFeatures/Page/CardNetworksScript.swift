import TillCards
import TillCore

/// The till's table of card networks as a module of the counter's page, so that page, command line and server validate
/// numbers by the same ranges, lengths and codes. Generated once, on first request.
enum CardNetworksScript {
    static let bytes: [UInt8] = Array(text.utf8)

    static let text: String = {
        let networks = CardBrandTable.profiles.map { profile in
            JSONValue.object([
                JSONMember(key: "brand", value: .string(profile.brand.rawValue)),
                JSONMember(key: "name", value: .string(profile.name)),
                JSONMember(key: "lengths", value: .array(profile.lengths.map { .number("\($0)") })),
                JSONMember(key: "printedGroups", value: .array(profile.printedGroups.map { .number("\($0)") })),
                JSONMember(key: "codeName", value: .string(profile.codeName)),
                JSONMember(key: "codeLength", value: .number("\(profile.codeLength)")),
                JSONMember(key: "toleratesWrongCheckDigit", value: .bool(profile.toleratesWrongCheckDigit)),
                JSONMember(
                    key: "ranges",
                    value: .array(
                        profile.prefixes.map { .array([.string("\($0.low)"), .string("\($0.high)")]) })),
            ]).text
        }
        return "// Generated from the till's table of card networks.\n"
            + "export const NETWORKS = [\n\(networks.joined(separator: ",\n")),\n];\n"
    }()
}
