# Sourced by the scripts beside it. Needs a tree that was built by: mvn -B -DskipTests package
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jdk=$("$root/build/find-jdk")
[ -n "$jdk" ] || { echo "no JDK 25 found; set JAVA_HOME to one" >&2; exit 2; }

# The jars of a POM, as a class path. Maven resolves them once.
libraries() {
  local list=$1/target/libraries
  if [ ! "$list" -nt "$1/pom.xml" ]; then
    JAVA_HOME=$jdk mvn -B -q -f "$1/pom.xml" dependency:build-classpath -Dmdep.outputFile="$list" >&2
  fi
  cat "$list"
}

# Decant's classes of some modules, as a class path.
decant_classes() {
  local path='' module
  for module in "$@"; do
    [ -d "$root/product/$module/target/classes" ] || { echo "product/$module is not built" >&2; exit 2; }
    path=$path:$root/product/$module/target/classes
  done
  echo "${path#:}"
}

# The agent with all that it needs: of DECANT_AGENT, or of this tree.
agent() {
  local jar=${DECANT_AGENT:-$(ls "$root"/integrations/agent-all/target/decant-agent-all-*.jar 2> /dev/null | head -n 1)}
  [ -f "$jar" ] || { echo "decant-agent-all is not built; DECANT_AGENT names another one" >&2; exit 2; }
  echo "$jar"
}

# CPU time that a process has used so far, in ms.
cpu_ms() {
  local stat
  stat=$(< "/proc/$1/stat") || return 1
  # shellcheck disable=SC2086
  set -- ${stat##*) }
  echo $(((${12} + ${13}) * 1000 / $(getconf CLK_TCK)))
}

# System calls of a process so far that write; most of them are requests on sockets.
writes() {
  awk '/^syscw/ { print $2 }' "/proc/$1/io"
}

# Fixed sizes of the heap, so that no JVM grows while it is measured.
jvm_flags=(-Xms1g -Xmx1g -XX:+UseParallelGC)
