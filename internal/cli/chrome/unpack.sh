# Unpacks packages of Debian, and those that this system lacks for them, without root: into a directory of the cache $2 that is
# named after the version of the browser, by way of the new directory $1. The other arguments are the packages.
# Descriptor 3 gets the progress as apt-get writes it. The last line of the output is "installed DIRECTORY".
set -eu
new=$1 cache=$2; shift 2
run() {
  apt-get -y -q --no-install-recommends -o APT::Status-Fd=3 -o Debug::NoLocking=1 -o Dir::State="$new" -o Dir::State::lists=lists \
    -o Dir::Cache="$new" -o Dir::Cache::archives=archives "$@"
}
dir=$new/files/chrome-linux
mkdir -p "$new/lists/partial" "$new/archives/partial" "$dir/root"
run update
version=$(run install --download-only --reinstall --print-uris "$@" | sed -n 's/^[^ ]* chromium_\([^_ /]*\)_[^ ]*\.deb .*/\1/p')
[ -n "$version" ] || { echo "E: apt-get plans no chromium"; exit 1; }
last=$cache/linux-$version
[ ! -e "$last" ] || { echo "installed $last"; exit; }
run install --download-only --reinstall "$@"
set -- "$new"/archives/*.deb
i=0
for archive; do
  name=${archive##*/}; name=${name%%_*}
  echo "pmstatus:$name:$((100 * i / $#)):Unpacking $name" >&3
  i=$((i + 1))
  [ "$name" = libc6 ] || dpkg-deb -x "$archive" "$dir/root" # the loader of the system loads its own libc6
done
libraries=$(cd "$dir" && find root -name 'lib*.so*' -printf '$d/%h\n' | sort -u | tr '\n' ':')
echo "<fontconfig><dir>$last/chrome-linux/root/usr/share/fonts</dir><include ignore_missing=\"yes\">/etc/fonts/fonts.conf</include></fontconfig>" >"$dir/fonts.conf"
cat >"$dir/chrome" <<END
#!/bin/sh
d=\$(dirname "\$(readlink -f "\$0")")
export LD_LIBRARY_PATH="${libraries%:}" FONTCONFIG_FILE="\$d/fonts.conf" XKB_CONFIG_ROOT="\$d/root/usr/share/X11/xkb"
exec "\$d/root/usr/lib/chromium/chromium" "\$@"
END
chmod +x "$dir/chrome"
mv "$new/files" "$last"
echo "installed $last"
