import Crypto
import Foundation

extension PageAsset {
    /// The digest of the file in the form of an `integrity` attribute: `sha384-` and 64 characters of base64. It is
    /// made from the bytes that are served. A browser refuses to run a script with another digest.
    package var integrity: String {
        "sha384-" + Data(SHA384.hash(data: bytes)).base64EncodedString()
    }
}
