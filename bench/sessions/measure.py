"""measure.py PROGRAM FOLDER N: the memory of N agents, each with a process of its own, and all on one server.

Each asks for one context of 4,000 tokens. Linux; Pss counts a shared page once."""
import json, os, re, subprocess, sys, tempfile, time, urllib.request
home = tempfile.mkdtemp()
prog, root, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
env = dict(os.environ, HOME=home, XDG_CONFIG_HOME=home + "/c", XDG_CACHE_HOME=home + "/k")
hello = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"m","version":"1"}}}'
call = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"brv_context","arguments":{"task":"count tokens exactly","max_tokens":4000}}}'
def mem(pids):
    pss=rss=0
    for p in pids:
        t=open(f"/proc/{p}/smaps_rollup").read()
        pss+=int(re.search(r"^Pss:\s+(\d+)",t,re.M)[1]); rss+=int(re.search(r"^Rss:\s+(\d+)",t,re.M)[1])
    return rss/1024, pss/1024
def tree(pid):
    out=[pid]
    for line in os.popen(f"ps -o pid= --ppid {pid}").read().split(): out+=tree(int(line))
    return out
# processes
ps=[]
for i in range(n):
    p=subprocess.Popen([prog,"mcp","--root",root],stdin=subprocess.PIPE,stdout=subprocess.PIPE,stderr=subprocess.DEVNULL,env=env,text=True)
    p.stdin.write(hello+"\n"+'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'+call+"\n"); p.stdin.flush()
    p.stdout.readline(); 
    while '"id":2' not in p.stdout.readline(): pass
    ps.append(p)
    if i==0: time.sleep(3); print("1 process: rss %.0f MB, pss %.0f MB"%mem(tree(p.pid)))
time.sleep(3)
print(f"{n} processes: rss %.0f MB, pss %.0f MB"%mem([q for p in ps for q in tree(p.pid)]))
for p in ps: p.stdin.close()
for p in ps: p.wait()
p=subprocess.Popen([prog,"mcp","--root",root,"--http","127.0.0.1:0"],stderr=subprocess.PIPE,env=env,text=True)
line=p.stderr.readline(); url=re.search(r"http://\S+",line)[0]; token=open(re.search(r"token in (\S+),",line)[1]).read().strip()
def post(body,sid=None):
    h={"Authorization":"Bearer "+token,"Content-Type":"application/json","Accept":"application/json, text/event-stream"}
    if sid: h["Mcp-Session-Id"]=sid
    r=urllib.request.urlopen(urllib.request.Request(url,body.encode(),h)); t=r.read().decode(); return r.headers.get("Mcp-Session-Id"),t
t0=time.time()
for i in range(n):
    sid,_=post(hello); post('{"jsonrpc":"2.0","method":"notifications/initialized"}',sid); _,t=post(call,sid); assert "brv-data" in t
    if i==0: time.sleep(3); print("1 session: rss %.0f MB, pss %.0f MB"%mem(tree(p.pid)))
time.sleep(3)
print(f"{n} sessions: rss %.0f MB, pss %.0f MB"%mem(tree(p.pid)))
p.terminate(); print("exit",p.wait(10))
