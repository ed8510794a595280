# A Homebrew formula of a release, for a tap of its own: make-formula.sh fills in the address, the version and the sums.
class Pawl < Formula
  desc "Release ledger of a mobile-app team, in one SQLite file"
  homepage "https://example.com/pawl"
  url "https://example.com/pawl/pawl-0.1.0-darwin-universal.tar.gz"
  version "0.1.0"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"

  # The bottles.

  depends_on macos: :sequoia

  def install
    bin.install "pawl"
    man1.install Dir["man/*"]
    bash_completion.install "completions/bash" => "pawl"
    zsh_completion.install "completions/zsh" => "_pawl"
    fish_completion.install "completions/fish" => "pawl.fish"
  end

  test do
    system bin/"pawl", "init"
    system bin/"pawl", "app", "add", "taxi", "--bundle-id", "com.example.taxi"
    system bin/"pawl", "publish", "taxi", "1.0"
    assert_match "none", shell_output("#{bin}/pawl check taxi 1.0")
  end
end
