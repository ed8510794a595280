import Crypto
import ReleaseModel

let noon = Timestamp(seconds: 1_800_014_400)

/// A moment so many seconds after noon.
func later(_ seconds: Int64) -> Timestamp { Timestamp(seconds: noon.seconds + seconds) }

func sha256(_ bytes: [UInt8]) -> String { SHA256.hexadecimal(of: bytes) }

/// Why something is refused; nil if it is not.
func refused(_ body: () throws -> some Any) -> Refusal? {
  do { _ = try body() } catch { return error as? Refusal }
  return nil
}
