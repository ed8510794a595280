# A stand-in for fastlane of as much as a lane needs: fastlane.rb FASTFILE LANE [NAME:VALUE]…
#
# `sh` runs a program as fastlane's does, given its words apart; actions of Xcode and of the store are only written down.
require "open3"

LANES = {}

def default_platform(_) = nil
def platform(_) = yield
def desc(_) = nil

def lane(name, &body)
  LANES[name] = body
  define_method(name) { |options = {}| body.call(options) }
end

def sh(*words)
  output, status = Open3.capture2(*words)
  puts "$ #{words.join(" ")}", output
  raise "'#{words.join(" ")}' ended with #{status.exitstatus}" unless status.success?
  output
end

%i[increment_version_number increment_build_number build_app upload_to_app_store].each do |action|
  define_method(action) do |options = {}|
    File.write("actions", "#{action} #{options.map { |key, value| "#{key}=#{value}" }.join(" ")}\n", mode: "a")
    raise "Apple says no" if action.to_s == ENV["FAILING"]
  end
end

load ARGV[0]
options = ARGV.drop(2).to_h { |word| word.split(":", 2) }.transform_keys(&:to_sym)
LANES.fetch(ARGV[1].to_sym).call(options)
