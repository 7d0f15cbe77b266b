# Thin on purpose: each target calls a script that can be read, and run, by itself.
.PHONY: help run test conformance format fuzz bench package profile soak clean
.DEFAULT_GOAL := help

help:  ## Say what there is
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' Makefile

run:  ## Set up, build, and watch an official client be allowed and refused (CHECK=1: exit with the result)
	@CHECK=$(CHECK) deploy/demo/run_demo.sh

test:  ## Set up, build, and run every test (BARTIZAN_OFFLINE=1: without the npm programs)
	@tests/run_tests.sh

conformance:  ## Run the official conformance suite, directly and through the gateway
	@tests/run_tests.sh packages build npm conformance

format:  ## Format the sources
	@git ls-files -co --exclude-standard '*.h' '*.cc' | xargs clang-format-19 -i

fuzz:  ## Fuzz every target, or NAME, for SECONDS (default 60) of processor time each
	@tests/run_fuzz.sh $(or $(SECONDS),60) $(NAME)

bench:  ## Measure the gateway beside other proxies: lines `name value`, MISSED after what misses its goal
	@tests/bench/run.sh $(PARTS)

package:  ## Build and test the release, and make its Debian package
	@deploy/make_package.sh

profile:  ## Run typical calls, and keep which code they run, for the release build to go by
	@tests/bench/profile.sh

soak:  ## What takes long: other builds, the gateway's tests under ThreadSanitizer, comparisons, POINTS (default 2000) kills
	@tests/run_soak.sh $(POINTS) $(SEED)

clean:  ## Remove what was built; the record in var/ stays
	@rm -rf build
