package dev.decant.fix.quickfix.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;

/**
 * Each setting of QuickFIX/J has a rule, and docs/quickfix-settings.md shows all of them. With -Ddocs.write=true the
 * test writes the page again.
 */
class SettingsPageTest {
  private static final Path PAGE = Path.of("../../docs/quickfix-settings.md");
  private static final String BEGIN = "<!-- settings -->\n";
  private static final String END = "<!-- end -->";
  /** Names that are read without a constant. */
  private static final Set<String> IDENTITY = Set.of("BEGINSTRING", "SENDERCOMPID", "SENDERSUBID", "SENDERLOCID",
      "TARGETCOMPID", "TARGETSUBID", "TARGETLOCID", "SESSION_QUALIFIER");

  /** The values of all constants of QuickFIX/J's jar that name a setting. */
  private static Set<String> constants() throws IOException, ReflectiveOperationException {
    Set<String> names = new TreeSet<>();
    URL jar = URI.create("jar:" + quickfix.Session.class.getProtectionDomain().getCodeSource().getLocation() + "!/")
        .toURL();
    try (JarFile file = ((JarURLConnection) jar.openConnection()).getJarFile()) {
      for (Enumeration<JarEntry> entries = file.entries(); entries.hasMoreElements();) {
        String name = entries.nextElement().getName();
        if (name.startsWith("quickfix/") && name.endsWith(".class") && !name.startsWith("quickfix/field/")) {
          add(name.substring(0, name.length() - ".class".length()).replace('/', '.'), names);
        }
      }
    }
    return names;
  }

  private static void add(String className, Set<String> names) throws ReflectiveOperationException {
    Field[] fields;
    try {
      fields = Class.forName(className, false, SettingsPageTest.class.getClassLoader()).getDeclaredFields();
    } catch (NoClassDefFoundError e) {
      return; // Sleepycat's library is optional; its settings have constants in a class that needs it not
    }
    for (Field field : fields) {
      boolean isSetting = field.getName().startsWith("SETTING_")
          || (field.getDeclaringClass().equals(quickfix.SessionSettings.class) && IDENTITY.contains(field.getName()));
      if (isSetting && Modifier.isStatic(field.getModifiers()) && field.getType().equals(String.class)) {
        field.setAccessible(true);
        names.add((String) field.get(null));
      }
    }
  }

  @Test
  void everySettingOfQuickFixHasARule() throws IOException, ReflectiveOperationException {
    Set<String> names = constants();

    assertThat(names).hasSizeGreaterThan(120).contains("StartTime", "JdbcURL", "SocketUseSSL", "TargetCompID",
        "SleepycatDatabaseDir", "SLF4JLogHeartbeats", "SocketTcpNoDelay");
    assertThat(names).allSatisfy(name -> assertThat(SettingRules.of(name)).as(name).isNotNull());
  }

  @Test
  void namesWithANumberOrAVersionHaveTheRuleOfTheirStem() {
    assertThat(SettingRules.of("SocketConnectHost12")).isEqualTo(SettingRules.of("SocketConnectHost"));
    assertThat(SettingRules.of("AppDataDictionary.FIX.5.0SP2")).isEqualTo(SettingRules.of("AppDataDictionary"));
    assertThat(SettingRules.of("SocketConnectHostile")).isNull();
    assertThat(SettingRules.of("Username")).isNull();
  }

  private static String tables() {
    StringBuilder page = new StringBuilder();
    String group = "";
    for (SettingRule rule : SettingRules.all()) {
      if (!rule.group().equals(group)) {
        group = rule.group();
        page.append("\n## ").append(group)
            .append("\n\n| setting | | what it becomes, why it has no effect, or what to do |\n|---|---|---|\n");
      }
      page.append("| `").append(rule.name()).append("` | ").append(rule.shown()).append(" | ").append(rule.text())
          .append(" |\n");
    }
    return page.append('\n').toString();
  }

  @Test
  void tablesOfThePageAreThoseOfTheCode() throws IOException {
    String page = Files.readString(PAGE);
    int from = page.indexOf(BEGIN) + BEGIN.length();
    String expected = page.substring(0, from) + tables() + page.substring(page.indexOf(END, from));
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(PAGE, expected);
    }
    assertThat(Files.readString(PAGE)).isEqualTo(expected);
  }
}
