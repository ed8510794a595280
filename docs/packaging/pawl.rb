# A Homebrew formula that builds pawl from its sources.
#
# `url` and `sha256` are filled in when a release is made; until then the formula installs nothing.
class Pawl < Formula
  desc "Release ledger of a mobile-app team, in one SQLite file"
  homepage "https://example.com/pawl"
  url "https://example.com/pawl/pawl-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"

  depends_on xcode: ["26.0", :build]
  depends_on macos: :sequoia
  depends_on "openssl@3"

  def install
    openssl = Formula["openssl@3"]
    system "swift", "build", "--configuration", "release", "--disable-sandbox",
           "-Xcc", "-I#{openssl.opt_include}", "-Xlinker", "-L#{openssl.opt_lib}"
    bin.install ".build/release/pawl"
    Utils.safe_popen_read(bin/"pawl", "--manual").each_line(chomp: true) do |page|
      (man1/page).write Utils.safe_popen_read(bin/"pawl", "--manual", page)
    end
    generate_completions_from_executable(bin/"pawl", "completions", shells: [:bash, :zsh, :fish])
    doc.install "README.md", "docs"
  end

  test do
    system bin/"pawl", "init"
    system bin/"pawl", "app", "add", "taxi", "--bundle-id", "com.example.taxi"
    system bin/"pawl", "publish", "taxi", "1.0"
    assert_match "none", shell_output("#{bin}/pawl check taxi 1.0")
  end
end
