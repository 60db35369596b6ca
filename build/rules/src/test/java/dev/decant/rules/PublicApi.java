package dev.decant.rules;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.TypeVariable;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a module promises its users: the public and protected members of public types in the packages that it exports to
 * everybody. Exports to chosen modules are no API. A module without a descriptor exports all of its packages.
 */
final class PublicApi {
  /** Classes of a JVM that the test kit starts, compiled against libraries that its users do not have. */
  private static final Set<String> OTHER_JVMS = Set.of("dev.decant.testkit.broker");
  private static final Set<String> METHODS_OF_EVERY_OBJECT = Set.of("toString()", "hashCode()", "equals(Object)");
  private static final Pattern JAVA_LANG = Pattern.compile("\\bjava\\.lang\\.(?=@?[\\w.]*\\b(?:@Nullable )?[A-Z])");
  private static final int ACCESS = Modifier.PUBLIC | Modifier.PROTECTED;
  private static final int METHOD_MODIFIERS = ACCESS | Modifier.STATIC | Modifier.FINAL | Modifier.ABSTRACT;

  private PublicApi() {}

  /**
   * Reads a module.
   *
   * @param location a directory of classes, or a jar
   * @return the declaration of each type, sorted, with its members, sorted
   */
  static Map<String, List<String>> of(Path location) throws IOException {
    if (Files.isDirectory(location)) {
      return ofRoot(location);
    }
    try (FileSystem jar = FileSystems.newFileSystem(location)) {
      return ofRoot(jar.getPath("/"));
    }
  }

  private static Map<String, List<String>> ofRoot(Path root) throws IOException {
    Predicate<String> exported = exports(root);
    Map<String, List<String>> types = new TreeMap<>();
    try (Stream<Path> files = Files.walk(root)) {
      files.map(file -> root.relativize(file).toString()).filter(name -> name.endsWith(".class"))
          .filter(name -> name.startsWith("dev/"))
          .map(name -> name.substring(0, name.length() - ".class".length()).replace('/', '.'))
          .filter(name -> exported.test(name.substring(0, name.lastIndexOf('.'))))
          .map(PublicApi::load).filter(PublicApi::isVisible)
          .forEach(type -> types.put(type.getCanonicalName(), describe(type)));
    }
    return types;
  }

  private static Predicate<String> exports(Path root) throws IOException {
    Path descriptor = root.resolve("module-info.class");
    if (!Files.exists(descriptor)) {
      return name -> !OTHER_JVMS.contains(name);
    }
    try (InputStream bytes = Files.newInputStream(descriptor)) {
      return ModuleDescriptor.read(bytes).exports().stream().filter(exports -> !exports.isQualified())
          .map(ModuleDescriptor.Exports::source).collect(Collectors.toSet())::contains;
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name, false, PublicApi.class.getClassLoader());
    } catch (ClassNotFoundException missing) {
      throw new AssertionError(missing);
    }
  }

  private static boolean isVisible(Class<?> type) {
    // Micronaut's compiler writes definitions of beans, which nobody calls by name
    if (type.isSynthetic() || type.getCanonicalName() == null || type.getSimpleName().equals("package-info")) {
      return false;
    }
    Class<?> outer = type.getEnclosingClass();
    return (type.getModifiers() & ACCESS) != 0 && (outer == null || isVisible(outer));
  }

  /** The declaration first, then the members. */
  static List<String> describe(Class<?> type) {
    List<String> lines = new ArrayList<>();
    lines.add(declaration(type));
    Set<String> members = new TreeSet<>();
    for (Class<?> declaring = type; isOwn(type, declaring); declaring = declaring.getSuperclass()) {
      Arrays.stream(declaring.getDeclaredFields()).filter(field -> isOffered(type, field.getModifiers()))
          .filter(field -> !field.isSynthetic()).map(PublicApi::field).forEach(members::add);
      Arrays.stream(declaring.getDeclaredMethods()).filter(method -> isOffered(type, method.getModifiers()))
          .filter(method -> !method.isSynthetic()).filter(method -> !METHODS_OF_EVERY_OBJECT.contains(call(method)))
          .map(PublicApi::method).forEach(members::add);
    }
    Arrays.stream(type.getDeclaredConstructors()).filter(made -> isOffered(type, made.getModifiers()))
        .filter(made -> !made.isSynthetic()).map(PublicApi::constructor).forEach(members::add);
    lines.addAll(members);
    return lines;
  }

  /** Public members of a superclass that nobody sees are members of the type itself to its users. */
  private static boolean isOwn(Class<?> type, @Nullable Class<?> declaring) {
    return declaring == type || (declaring != null && !Modifier.isPublic(declaring.getModifiers()));
  }

  private static boolean isOffered(Class<?> type, int modifiers) {
    return Modifier.isPublic(modifiers)
        || (Modifier.isProtected(modifiers) && !Modifier.isFinal(type.getModifiers()) && !type.isSealed());
  }

  private static String declaration(Class<?> type) {
    StringBuilder text = new StringBuilder(type.toGenericString());
    AnnotatedType superclass = type.getAnnotatedSuperclass();
    if (superclass != null && superclass.getType() != Object.class && !type.isEnum() && !type.isRecord()) {
      text.append(" extends ").append(superclass);
    }
    if (type.getAnnotatedInterfaces().length > 0 && !type.isAnnotation()) {
      text.append(type.isInterface() ? " extends " : " implements ").append(list(type.getAnnotatedInterfaces()));
    }
    if (type.isSealed()) {
      text.append(" permits ").append(Arrays.stream(type.getPermittedSubclasses()).map(Class::getCanonicalName)
          .sorted().collect(Collectors.joining(", ")));
    }
    return shorten(text.toString());
  }

  private static String field(Field field) {
    return shorten(Modifier.toString(field.getModifiers() & METHOD_MODIFIERS) + " " + field.getAnnotatedType() + " "
        + field.getName());
  }

  private static String method(Method method) {
    String modifiers = method.isDefault()
        ? "public default"
        : Modifier.toString(method.getModifiers() & METHOD_MODIFIERS);
    return shorten(modifiers + variables(method) + " " + method.getAnnotatedReturnType() + " ") + call(method)
        + thrown(method);
  }

  private static String constructor(Constructor<?> made) {
    return Modifier.toString(made.getModifiers()) + variables(made) + " "
        + call(made).replaceFirst("^.*[.$](?=[^(]*\\()", "") + thrown(made);
  }

  private static String call(Executable executable) {
    return executable.getName() + "(" + list(executable.getAnnotatedParameterTypes()) + ")";
  }

  private static String thrown(Executable executable) {
    AnnotatedType[] exceptions = executable.getAnnotatedExceptionTypes();
    return exceptions.length == 0 ? "" : " throws " + list(exceptions);
  }

  private static String variables(Executable executable) {
    TypeVariable<?>[] variables = executable.getTypeParameters();
    return variables.length == 0
        ? ""
        : " <" + shorten(Arrays.stream(variables)
            .map(variable -> variable.getName() + bounds(variable)).collect(Collectors.joining(", "))) + ">";
  }

  private static String bounds(TypeVariable<?> variable) {
    String bounds = Arrays.stream(variable.getAnnotatedBounds()).map(AnnotatedType::toString)
        .filter(bound -> !bound.equals("java.lang.Object")).collect(Collectors.joining(" & "));
    return bounds.isEmpty() ? "" : " extends " + bounds;
  }

  private static String list(AnnotatedType[] types) {
    return shorten(Arrays.stream(types).map(AnnotatedType::toString).collect(Collectors.joining(", ")));
  }

  private static String shorten(String text) {
    return JAVA_LANG.matcher(text.replace("@org.jspecify.annotations.Nullable()", "@Nullable")).replaceAll("");
  }
}
