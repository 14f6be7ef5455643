package imports

import "strings"

// systemHeaders names the headers of the C standard library, glibc 2.36 and POSIX, and those of BSD and Windows
// that projects often use as names too. An include of such a name does not mean a file of that name somewhere in
// the tree, such as a replacement for other systems. C++'s own headers have no extension, and projects do not use
// their names; its own modules are std and std.compat.
var systemHeaders = setOf(strings.Fields(`
aio.h aliases.h alloca.h ar.h argp.h argz.h arpa/inet.h assert.h byteswap.h complex.h conio.h cpio.h ctype.h direct.h dirent.h
dlfcn.h elf.h endian.h envz.h err.h errno.h error.h execinfo.h fcntl.h features-time64.h features.h fenv.h float.h fmtmsg.h
fnmatch.h fstab.h fts.h ftw.h gconv.h getopt.h glob.h gnu-versions.h grp.h gshadow.h iconv.h ifaddrs.h intrin.h inttypes.h io.h
iso646.h kvm.h langinfo.h lastlog.h libgen.h libintl.h libutil.h limits.h link.h locale.h malloc.h math.h mcheck.h memory.h
mntent.h monetary.h mqueue.h net/if.h netdb.h netinet/in.h netinet/tcp.h nl_types.h nss.h obstack.h paths.h poll.h printf.h
proc_service.h process.h pthread.h pty.h pwd.h re_comp.h regex.h regexp.h resolv.h sched.h search.h semaphore.h setjmp.h sgtty.h
shadow.h signal.h spawn.h stab.h stdalign.h stdarg.h stdatomic.h stdbit.h stdbool.h stdc-predef.h stdckdint.h stddef.h stdint.h
std std.compat stdio.h stdio_ext.h stdlib.h stdnoreturn.h string.h strings.h sys/ipc.h sys/mman.h sys/resource.h sys/select.h sys/shm.h
sys/socket.h sys/stat.h sys/statvfs.h sys/time.h sys/times.h sys/types.h sys/uio.h sys/un.h sys/utsname.h sys/wait.h syscall.h
sysexits.h syslog.h tar.h tchar.h termio.h termios.h tgmath.h thread_db.h threads.h time.h ttyent.h uchar.h ucontext.h ucred.h
ulimit.h unistd.h util.h utime.h utmp.h utmpx.h values.h vis.h wait.h wchar.h wctype.h windows.h winsock2.h wordexp.h ws2tcpip.h
`)...)
