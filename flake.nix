{
  description = "What a team knows and what its code is, in one token-budgeted answer; no network, no model";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: {
        default = pkgs.buildGoModule {
          pname = "brv-lsp";
          version = "0.1.0";
          src = self;
          proxyVendor = true; # the grammars' C sources lie beside the Go packages
          vendorHash = pkgs.lib.fakeHash; # `nix build` says the right one; it changes with go.sum
          subPackages = [ "cmd/brv-lsp" ];
          ldflags = [ "-s" "-w" ];
          doCheck = false; # `./test` checks, with editors and a network namespace
          meta = {
            description = "What a team knows and what its code is, in one token-budgeted answer; no network, no model";
            homepage = "https://github.com/brv-lsp/brv-lsp";
            license = pkgs.lib.licenses.asl20;
            mainProgram = "brv-lsp";
          };
        };
      });
    };
}
