import Crypto

/// Returns the SHA-256 of bytes.
package func digest(_ bytes: some Sequence<UInt8>) -> [UInt8] { Array(SHA256.hash(data: Array(bytes))) }
