class BrvLsp < Formula
  desc <<json .Short>>
  homepage <<json .Homepage>>
  version <<json .Version>>
  license <<json .Licence>>
<<- range $os := list "darwin" "linux">>

  on_<<if eq $os "darwin">>macos<<else>>linux<<end>> do
<<- range $.Platforms>><<if eq .OS $os>>
    on_<<if eq .Arch "arm64">>arm<<else>>intel<<end>> do
      url <<json ($.URL .Binary)>>, using: :nounzip
      sha256 <<json ($.Sum .Binary)>>
    end
<<- end>><<end>>
  end
<<- end>>

  def install
    bin.install Dir["brv-lsp-*"].first => "brv-lsp"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/brv-lsp version")
  end
end
