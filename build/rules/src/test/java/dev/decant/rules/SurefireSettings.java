package dev.decant.rules;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** What a POM says about its tests. */
final class SurefireSettings {
  /**
   * Executions that run a test where it belongs. Others run some of them once more, and may choose as they like.
   */
  private static final String DEFAULT = "default-test";
  private static final String ALLOCATION = "allocation";
  private static final Set<String> CHOICES = Set.of("skip", "skipTests", "skipExec", "test", "excludes", "excludesFile",
      "includesFile", "groups", "excludedGroups");
  private static final List<String> PROPERTIES = List.of("maven.test.skip", "skipTests", "surefire.skip", "test",
      "surefire.includes", "surefire.excludes", "groups", "excludedGroups", "decant.tests.groups",
      "decant.tests.excluded");
  private static final List<String> DEFAULT_INCLUDES = List.of("**/Test*.java", "**/*Test.java", "**/*Tests.java",
      "**/*TestCase.java");
  private static final List<String> ALLOCATION_INCLUDES = List.of("**/*AllocationTest.java");
  private static final String PLUGIN = "plugin[artifactId='maven-surefire-plugin']";

  private final Document pom;
  private final XPath paths = XPathFactory.newInstance().newXPath();

  private SurefireSettings(Document pom) {
    this.pom = pom;
  }

  static SurefireSettings of(Path module) throws IOException {
    try {
      return new SurefireSettings(
          DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(module.resolve("pom.xml").toFile()));
    } catch (ParserConfigurationException | SAXException e) {
      throw new IOException(module + "/pom.xml", e);
    }
  }

  private List<Element> elements(String path) {
    try {
      NodeList found = (NodeList) paths.evaluate(path, pom, XPathConstants.NODESET);
      List<Element> elements = new ArrayList<>();
      for (int i = 0; i < found.getLength(); i++) {
        elements.add((Element) found.item(i));
      }
      return elements;
    } catch (XPathExpressionException e) {
      throw new IllegalArgumentException(path, e);
    }
  }

  List<String> texts(String path) {
    return elements(path).stream().map(element -> element.getTextContent().strip()).toList();
  }

  /** Those of every build that runs tests; modules of a profile that somebody has to ask for are not among them. */
  List<String> modules() {
    return texts("/project/modules/module"
        + " | /project/profiles/profile[activation/property/name='!skipTests']/modules/module");
  }

  /** Settings of the plugin and of one execution. */
  private List<Element> settings(String id) {
    List<Element> settings = elements("//" + PLUGIN + "/configuration/*");
    for (Element execution : elements("//" + PLUGIN + "/executions/execution")) {
      if (children(execution, "id").stream().anyMatch(each -> each.getTextContent().strip().equals(id))) {
        children(execution, "phase").forEach(settings::add);
        children(execution, "configuration").forEach(each -> settings.addAll(children(each, "*")));
      }
    }
    return settings;
  }

  private static List<Element> children(Element parent, String name) {
    List<Element> children = new ArrayList<>();
    for (int i = 0; i < parent.getChildNodes().getLength(); i++) {
      if (parent.getChildNodes().item(i) instanceof Element child && Set.of("*", child.getTagName()).contains(name)) {
        children.add(child);
      }
    }
    return children;
  }

  /** What keeps tests from being run, by this POM's own decision. */
  List<String> obstacles() {
    Set<String> obstacles = new LinkedHashSet<>();
    List<Element> settings = new ArrayList<>(settings(DEFAULT));
    settings.addAll(settings(ALLOCATION));
    for (Element setting : settings) {
      String name = setting.getTagName();
      if (CHOICES.contains(name) || name.equals("phase")) {
        obstacles.add("<" + name + "> of surefire");
      } else if (name.equals("includes") && setting.getTextContent().contains("${")) {
        obstacles.add("<includes> of surefire that depend on a property");
      }
    }
    if (!elements("/project/profiles//" + PLUGIN + "//includes").isEmpty()) {
      obstacles.add("<includes> of surefire in a profile");
    }
    for (String property : PROPERTIES) {
      if (!elements("//properties/*[name()='" + property + "']").isEmpty()) {
        obstacles.add("the property " + property);
      }
    }
    return List.copyOf(obstacles);
  }

  /** Whether surefire takes the file for a test; for one that counts bytes in the execution for these. */
  boolean includes(String file, boolean countsBytes) {
    List<String> own = new ArrayList<>();
    for (Element setting : settings(countsBytes ? ALLOCATION : DEFAULT)) {
      if (setting.getTagName().equals("includes")) {
        children(setting, "include").forEach(include -> own.add(include.getTextContent().strip()));
      }
    }
    // "**/" takes a file without a folder, too
    Path path = Path.of("any", file);
    List<String> inherited = countsBytes ? ALLOCATION_INCLUDES : DEFAULT_INCLUDES;
    return (own.isEmpty() ? inherited : own).stream()
        .anyMatch(pattern -> FileSystems.getDefault().getPathMatcher("glob:" + pattern).matches(path));
  }
}
