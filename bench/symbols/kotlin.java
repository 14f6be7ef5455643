// Lists the declarations of Kotlin files by Kotlin's own parser, in the form that bench/symbols reads.
//
//	java -cp 'DIR/*' bench/symbols/kotlin.java CHECKOUT > LIST
//
// DIR holds kotlin-compiler-embeddable 2.2.20 with kotlin-stdlib, kotlin-script-runtime, kotlin-reflect and
// kotlinx-coroutines-core-jvm of Maven Central.
import java.io.*;
import java.nio.file.*;
import java.util.*;
import org.jetbrains.kotlin.cli.jvm.compiler.*;
import org.jetbrains.kotlin.com.intellij.openapi.util.Disposer;
import org.jetbrains.kotlin.com.intellij.psi.*;
import org.jetbrains.kotlin.config.*;
import org.jetbrains.kotlin.cli.common.messages.MessageCollector;
import org.jetbrains.kotlin.cli.common.CLIConfigurationKeys;
import org.jetbrains.kotlin.idea.KotlinLanguage;
import org.jetbrains.kotlin.psi.*;

class kotlin {
    static PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false);

    public static void main(String[] args) throws Exception {
        CompilerConfiguration c = new CompilerConfiguration();
        c.put(CLIConfigurationKeys.MESSAGE_COLLECTOR_KEY, MessageCollector.Companion.getNONE());
        c.put(CommonConfigurationKeys.MODULE_NAME, "list");
        KotlinCoreEnvironment env = KotlinCoreEnvironment.createForProduction(
            Disposer.newDisposable(), c, EnvironmentConfigFiles.JVM_CONFIG_FILES);
        PsiFileFactory files = PsiFileFactory.getInstance(env.getProject());
        Path root = Paths.get(args[0]);
        List<Path> all = new ArrayList<>();
        try (var walk = Files.walk(root)) {
            walk.filter(p -> p.toString().endsWith(".kt") && Files.isRegularFile(p)).sorted().forEach(all::add);
        }
        for (Path p : all) {
            String text = Files.readString(p).replace("\r\n", "\n");
            PsiFile f = files.createFileFromText("x.kt", KotlinLanguage.INSTANCE, text);
            walk(f, root.relativize(p).toString(), text, "");
        }
        out.flush();
    }

    static void walk(PsiElement e, String path, String text, String scope) {
        for (PsiElement x = e.getFirstChild(); x != null; x = x.getNextSibling()) {
            if (x instanceof KtEnumEntry) {
                continue;
            }
            if (x instanceof KtFunction f && !(x instanceof KtConstructor)) {
                if (f.getName() != null) {
                    KtTypeReference receiver = f.getReceiverTypeReference();
                    tell(path, text, f.getNameIdentifier(), f.getName(), "function", receiver == null ? scope : bare(receiver));
                }
            } else if (x instanceof KtClassOrObject k) {
                if (k.getNameIdentifier() != null) {
                    tell(path, text, k.getNameIdentifier(), k.getName(), "class", scope);
                }
                String in = k.getName() == null ? "" : k.getName();
                boolean companion = k instanceof KtObjectDeclaration o && o.isCompanion();
                if (!(k instanceof KtObjectDeclaration o2 && o2.isObjectLiteral()) && k.getBody() != null) {
                    walk(k.getBody(), path, text, companion && k.getNameIdentifier() == null ? scope : in);
                }
            } else if (x instanceof PsiWhiteSpace || x instanceof KtProperty || x instanceof KtAnonymousInitializer
                    || x instanceof KtConstructor) {
            } else {
                walk(x, path, text, scope);
            }
        }
    }

    // An extension's container is the type that it extends.
    static String bare(KtTypeReference t) {
        KtTypeElement e = t.getTypeElement();
        while (e instanceof KtNullableType n) {
            e = n.getInnerType();
        }
        return e instanceof KtUserType u && u.getReferencedName() != null ? u.getReferencedName() : "";
    }

    static void tell(String path, String text, PsiElement at, String name, String kind, String scope) {
        int line = 1 + (int) text.substring(0, at.getTextOffset()).chars().filter(ch -> ch == '\n').count();
        out.printf("{\"path\": \"%s\", \"name\": \"%s\", \"kind\": \"%s\", \"scope\": \"%s\", \"line\": %d}%n",
            path, name.replace("\\", "\\\\").replace("\"", "\\\""), kind, scope, line);
    }
}
