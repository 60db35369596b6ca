package dev.decant.codegen;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Writes the enumeration of the APIs. */
final class ApiKeyCode {
  private static final String MEMBERS = """

        private static final ApiKey[] BY_ID = byId();

        private final short id;
        private final String label;
        private final short lowestVersion;
        private final short highestVersion;
        private final short highestStableVersion;
        private final short firstFlexibleVersion;

        ApiKey(String label, int id, int lowestVersion, int highestVersion, int highestStableVersion,
            int firstFlexibleVersion) {
          this.label = label;
          this.id = (short) id;
          this.lowestVersion = (short) lowestVersion;
          this.highestVersion = (short) highestVersion;
          this.highestStableVersion = (short) highestStableVersion;
          this.firstFlexibleVersion = (short) firstFlexibleVersion;
        }

        private static ApiKey[] byId() {
          ApiKey[] table = new ApiKey[TABLE_SIZE];
          for (ApiKey key : values()) {
            table[key.id] = key;
          }
          return table;
        }

        /**
         * Finds an API by its number, without allocation.
         *
         * @param id the number in a request's header
         * @return the API, or null if this client does not know it
         */
        public static @Nullable ApiKey of(int id) {
          return id >= 0 && id < BY_ID.length ? BY_ID[id] : null;
        }

        /** The number in a request's header. */
        public short id() {
          return id;
        }

        /** The name in Kafka's documentation. */
        public String label() {
          return label;
        }

        /** The lowest version that is implemented. */
        public short lowestVersion() {
          return lowestVersion;
        }

        /** The highest version that is implemented. */
        public short highestVersion() {
          return highestVersion;
        }

        /** The highest version that brokers offer by default: one more may be under development. */
        public short highestStableVersion() {
          return highestStableVersion;
        }

        /** Whether a version has compact types and tagged fields (KIP-482). */
        public boolean isFlexible(short version) {
          return version >= firstFlexibleVersion;
        }

        /** The version of the header in front of a request of a version: 1, or 2 for a flexible one. */
        public short requestHeaderVersion(short version) {
          return (short) (isFlexible(version) ? 2 : 1);
        }

        /**
         * The version of the header in front of a response of a version: 0, or 1 for a flexible one. ApiVersions has 0
         * always, since the client has yet to learn what the broker speaks (KIP-511).
         */
        public short responseHeaderVersion(short version) {
          return (short) (this != API_VERSIONS && isFlexible(version) ? 1 : 0);
        }
      }
      """;

  private ApiKeyCode() {}

  static String write(List<MessageSchema> messages, String packageName) {
    List<MessageSchema> requests = messages.stream().filter(MessageSchema::isRequest)
        .sorted(Comparator.comparingInt(MessageSchema::apiKey)).toList();
    JavaText java = new JavaText();
    java.line("// Generated from Apache Kafka's message schemas; do not edit.");
    java.line("package " + packageName + ";").blank();
    java.line("import org.jspecify.annotations.Nullable;").blank();
    java.line("/** The APIs of a broker that this client speaks, with the versions that are implemented. */");
    java.line("public enum ApiKey {");
    for (MessageSchema request : requests) {
      java.line(constant(request) + (request.equals(requests.getLast()) ? ";" : ","));
    }
    int tableSize = requests.getLast().apiKey() + 1;
    return java + MEMBERS.replace("TABLE_SIZE", Integer.toString(tableSize));
  }

  private static String constant(MessageSchema request) {
    String label = request.name().substring(0, request.name().length() - "Request".length());
    Versions flexible = request.flexible();
    return constantName(label) + "(\"" + label + "\", " + request.apiKey() + ", " + request.versions().lowest() + ", "
        + request.versions().highest() + ", " + request.highestStableVersion() + ", "
        + (flexible.isEmpty() ? "Short.MAX_VALUE" : flexible.lowest()) + ")";
  }

  static String constantName(String label) {
    return label.replaceAll("(?<=[a-z0-9])(?=[A-Z])", "_").toUpperCase(Locale.ROOT);
  }
}
