package dev.decant.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every test is run by each build, by {@code -Pfull} or by {@code -Plong}; see {@link TestHomes}. */
class TestHomesTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  @TempDir
  private Path directory = Path.of("");

  @Test
  void everyTestHasAHome() throws IOException {
    TestHomes homes = TestHomes.check(ROOT);

    assertThat(homes.violations()).isEmpty();
    assertThat(homes.tests()).as("tests found").isGreaterThan(2_000);
  }

  /** The profiles decide what a tag means, so a change there is a change of all homes. */
  @Test
  void theProfilesOfTheParentAreTheHomes() throws IOException {
    SurefireSettings parent = SurefireSettings.of(ROOT);

    assertThat(parent.texts("/project/properties/decant.tests.groups")).containsExactly("any() | none()");
    assertThat(parent.texts("/project/properties/decant.tests.excluded")).containsExactly("full | long");
    assertThat(parent.texts("//profile[id='full']/properties/decant.tests.excluded")).containsExactly("long");
    assertThat(parent.texts("//profile[id='long']/properties/decant.tests.groups")).containsExactly("long");
    assertThat(parent.texts("//profile[id='long']/properties/decant.tests.excluded"))
        .containsExactly("any() & none()");
    String surefire = "/project/build/plugins/plugin[artifactId='maven-surefire-plugin']";
    String execution = surefire + "/executions/execution";
    assertThat(parent.texts(surefire + "/configuration/groups")).containsExactly("${decant.tests.groups}");
    assertThat(parent.texts(execution + "[id='default-test']/configuration/excludedGroups"))
        .containsExactly("allocation | ${decant.tests.excluded}");
    assertThat(parent.texts(execution + "[id='allocation']/configuration/groups"))
        .containsExactly("allocation & (${decant.tests.groups})");
    assertThat(parent.texts(surefire + "/configuration/excludedGroups")).containsExactly("${decant.tests.excluded}");
  }

  private void module(String name, String surefire, String... sources) throws IOException {
    Path tests = Files.createDirectories(directory.resolve(name).resolve("src/test/java/p"));
    Files.writeString(directory.resolve(name).resolve("pom.xml"), """
        <project>
          <build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId>%s</plugin></plugins></build>
        </project>
        """.formatted(surefire));
    for (String source : sources) {
      String type = source.replaceFirst("(?s).*?class (\\w+).*", "$1");
      Files.writeString(tests.resolve(type + ".java"), "package p;\n" + source);
    }
  }

  private List<String> violations(String... modules) throws IOException {
    Files.writeString(directory.resolve("pom.xml"), "<project><modules><module>" + String.join("</module><module>",
        modules) + "</module></modules><profiles><profile><modules><module>late</module></modules></profile></profiles>"
        + "</project>");
    return TestHomes.check(directory).violations();
  }

  @Test
  void homesOfAllKindsAreHomes() throws IOException {
    module("m", "<configuration><argLine>-Xmx1g</argLine></configuration>",
        "class PlainTest { @Test void a() {} @Tag(\"full\") @Test void b() {} @Tag(\"long\") @Test void c() {} }",
        "@Tag(\"allocation\") @Tag(\"full\") class SomeAllocationTest { @Test void a() {} }",
        "abstract class Contract { @Test void a() {} static class Helper { void test() {} } }",
        "class OuterTest { @Nested class Inner { @ParameterizedTest void a() {} } @EnabledOnOs(OS.LINUX) class X {} }",
        "@EnabledIf(value = \"isThere\", disabledReason = \"no such module\") class LackTest { @Test void a() {} }",
        "class EngineTest { @Test void a() { run(Sample.class); } static class Sample { @Test void b() {} } }",
        "class Helper { void a() {} }");

    assertThat(violations("m")).isEmpty();
  }

  @Test
  void testsThatNothingRunsAreNamed() throws IOException {
    module("m", "", "class Checks { @Test void a() {} }", "class Lasting extends Contract {}",
        "abstract class Contract { @RepeatedTest(2) void b() {} }",
        "class OuterTest { static class Inner { @Test void c() {} } }",
        "@Disabled class DisabledTest { @Test void d() {} }",
        "@EnabledIf(\"isWanted\") class WantedTest { @Test void h() {} }",
        "class SwitchedTest { @EnabledIfSystemProperty(named = \"x\", matches = \"y\") @Test void e() {} }");
    module("late", "", "class LateTest { @Test void f() {} }");
    module("lost", "", "class LostTest { @Test void g() {} }");

    assertThat(violations("m")).containsExactlyInAnyOrder("m: Checks has a name that surefire takes for no test",
        "m: Lasting has a name that surefire takes for no test",
        "m: OuterTest.Inner is within a class and not @Nested, so JUnit does not find it",
        "m: DisabledTest.d has a switch of its own in place of a home: [Disabled]",
        "m: WantedTest.h has a switch of its own in place of a home: [EnabledIf]",
        "m: SwitchedTest.e has a switch of its own in place of a home: [EnabledIfSystemProperty]",
        "late: its tests run in no build, since the parent POM does not list the module",
        "lost: its tests run in no build, since the parent POM does not list the module");
  }

  @Test
  void tagsThatAreNoHomeOrTwoHomesAreNamed() throws IOException {
    module("m", "", "@Tag(\"slow\") class SlowTest { @Test void a() {} }",
        "@Tag(\"full\") class BothTest { @Tag(\"long\") @Test void b() {} }",
        "class CountedAllocationTest { @Test void c() {} }",
        "@Tag(\"allocation\") class BytesTest { @Test void d() {} }",
        "@Tag(\"full\") class ContractTest { @Test void e() {} }",
        "@Tag(\"long\") class LongContractTest extends ContractTest {}");

    String rule = ": a class has the tag \"allocation\" if its name ends with AllocationTest, and only then";
    assertThat(violations("m")).containsExactlyInAnyOrder(
        "m: SlowTest.a has a tag that is not among [allocation, full, long]: [slow]",
        "m: BothTest.b has two homes, \"full\" and \"long\"",
        "m: CountedAllocationTest" + rule,
        "m: BytesTest" + rule,
        "m: LongContractTest.e has two homes, \"full\" and \"long\"");
  }

  @Test
  void modulesThatTurnTheirTestsOffAreNamed() throws IOException {
    String test = "class PlainTest { @Test void a() {} }";
    module("skips", "<configuration><skip>${other}</skip></configuration>", test);
    module("chooses", "<executions><execution><id>default-test</id><configuration>"
        + "<includes><include>${mine}</include></includes></configuration></execution></executions>", test);
    module("narrows", "<configuration><includes><include>**/*Quick.java</include></includes></configuration>", test);
    module("again", "<executions><execution><id>newest</id><configuration><skip>true</skip></configuration>"
        + "</execution></executions>", test);
    module("bytes",
        "<executions><execution><id>allocation</id><configuration><includes><include>**/*AllocationTest.java"
            + "</include></includes></configuration></execution></executions>",
        test);

    assertThat(violations("skips", "chooses", "narrows", "again", "bytes")).containsExactlyInAnyOrder(
        "skips/pom.xml: <skip> of surefire may keep tests from being run",
        "chooses/pom.xml: <includes> of surefire that depend on a property may keep tests from being run",
        "chooses: PlainTest has a name that surefire takes for no test",
        "narrows: PlainTest has a name that surefire takes for no test");
  }
}
